import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import * as z from 'zod';

const count = (from: number) => z.coerce.number().int().min(from);

/** What every provider that reads pages by a browser is configured by. */
export const browserSettings = z.object({
  BROWSER_WS_ENDPOINT: z
    .url({ protocol: /^(?:wss?|https?)$/ })
    .optional()
    .describe('DevTools address of a remote Chromium; without one a local Chromium is started'),
  CHROMIUM_PATH: z.string().optional().describe('The Chromium to start; looked for on PATH and in the usual places when absent'),
  BROWSER_EXECUTABLE: z.string().optional().describe('The Chromium to start where none is installed; our scripts set it to the copy they fetch'),
  PATH: z.string().optional().describe('Folders in which Chromium is looked for'),
  BROWSER_CONTEXTS: count(1).default(8).describe('How many pages one worker process opens at the same time'),
  BROWSER_PAGES_PER_LAUNCH: count(1).default(250).describe('After so many requests Chromium is started anew, which bounds its memory'),
  PROXY_URL_TEMPLATE: z
    .string()
    .refine((template) => URL.canParse(template.replaceAll('{country}', 'us')), 'Expected an address, with {country} where the country code belongs')
    .optional()
    .describe('Address of the proxy that pages are fetched by, `{country}` standing for the lower-case country code'),
});
export type BrowserSettings = z.infer<typeof browserSettings>;

/** The one without a window comes first: it takes a third of the time for a page. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const USUAL_FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome'];
const USUAL_PLACES = [
  ...USUAL_FOLDERS.flatMap((folder) => NAMES.map((name) => join(folder, name))),
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The Chromium of this machine; undefined where there is none. A path that was set is taken at its word, or not at all. */
export function localChromium({ CHROMIUM_PATH, BROWSER_EXECUTABLE, PATH = '' }: BrowserSettings): string | undefined {
  if (CHROMIUM_PATH) return isExecutable(CHROMIUM_PATH) ? CHROMIUM_PATH : undefined;
  const onPath = PATH.split(delimiter).flatMap((folder) => (folder ? NAMES.map((name) => join(folder, name)) : []));
  return [...onPath, ...USUAL_PLACES, ...(BROWSER_EXECUTABLE ? [BROWSER_EXECUTABLE] : [])].find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What this machine lacks to read pages; undefined when nothing. */
export function browserLacks(settings: BrowserSettings): string | undefined {
  if (settings.BROWSER_WS_ENDPOINT || localChromium(settings)) return undefined;
  const tried = settings.CHROMIUM_PATH ? `CHROMIUM_PATH names no program: ${settings.CHROMIUM_PATH}` : 'There is none on PATH or in the usual places';
  return `Chromium is missing. ${tried}; set BROWSER_WS_ENDPOINT or CHROMIUM_PATH`;
}
