import { describe } from '@jest/globals';
import { browserLacks, type BrowserSettings } from './settings.js';

/** For tests: a suite that needs a browser; skipped, and the reason told, where there is none. */
export function describeWithChromium(settings: BrowserSettings, name: string, suite: () => void): void {
  const lacks = browserLacks(settings);
  if (lacks) describe.skip(`${name} (skipped: ${lacks})`, suite);
  else describe(name, suite);
}
