import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { browserLacks, browserSettings, localChromium } from './settings.js';

const folder = mkdtempSync(join(tmpdir(), 'chromium-'));
const program = join(folder, 'chromium');
writeFileSync(program, '#!/bin/sh\n');
chmodSync(program, 0o755);
afterAll(() => rmSync(folder, { recursive: true }));

const settings = (given: Record<string, string>) => browserSettings.parse(given);

describe('the local Chromium', () => {
  it('is the one that is set, or none at all when that is no program', () => {
    expect(localChromium(settings({ CHROMIUM_PATH: program }))).toBe(program);
    expect(localChromium(settings({ CHROMIUM_PATH: join(folder, 'nothing'), PATH: folder }))).toBeUndefined();
  });

  it('is looked for on PATH', () => expect(localChromium(settings({ PATH: `/nowhere::${folder}` }))).toBe(program));

  it('is not needed with a remote one', () => {
    expect(browserLacks(settings({ CHROMIUM_PATH: '/nowhere' }))).toContain('/nowhere');
    expect(browserLacks(settings({ CHROMIUM_PATH: '/nowhere', BROWSER_WS_ENDPOINT: 'ws://127.0.0.1:9222/devtools/browser/x' }))).toBeUndefined();
  });
});

it('a proxy template is an address with the country left open', () => {
  expect(browserSettings.safeParse({ PROXY_URL_TEMPLATE: 'http://user-{country}:secret@proxy.example:8000' }).success).toBe(true);
  expect(browserSettings.safeParse({ PROXY_URL_TEMPLATE: 'proxy of {country}' }).success).toBe(false);
});
