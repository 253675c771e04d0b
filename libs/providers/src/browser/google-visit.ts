import assert from 'node:assert';
import { UpstreamFailure } from '@overheard/contracts';
import * as z from 'zod';
import type { Attempt } from '../engine.js';
import { languageOf, searchAddress } from '../formats/google-address.js';
import { pageFailure, SETTLED } from '../formats/google-page.js';
import type { BrowserPool, Device } from './browser-pool.js';
import { browserSettings } from './settings.js';
import { openPage, type OpenPage } from './visit-page.js';

export const googleSettings = browserSettings.extend({
  GOOGLE_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address of Google Search, such as `https://www.google.com`; without one Search, News and AI Mode have no upstream'),
});
export type GoogleSettings = z.infer<typeof googleSettings>;

/** How long a page may take to fill itself by scripts once its document is there. */
const SETTLE_MS = 8000;

interface SearchRequest {
  country: string;
  device: Device;
  location?: string | undefined;
  uule?: string | undefined;
}

interface Visit<Request extends SearchRequest, Result> {
  settings: GoogleSettings;
  pool: BrowserPool;
  attempt: Attempt<Request>;
  query: string;
  /** The tab, as in `searchAddress`. */
  tab?: Record<string, string>;
  /** What happens in the browser. */
  work(search: Search): Promise<Result>;
}

/** A clean browser in front of Google. */
export interface Search extends OpenPage {
  /** Opens a page of results, from 1. Throws for a page that came with an error. */
  results(page: number): Promise<void>;
}

/** One visit to Google, or to its stand-in, as the request wants it: country, language, place, device. */
export async function visitGoogle<Request extends SearchRequest, Result>({
  settings,
  pool,
  attempt,
  query,
  tab,
  work,
}: Visit<Request, Result>): Promise<Result> {
  const { request, route, signal } = attempt;
  const { country, location, uule, device } = request;
  const base = route === 'sandbox' ? attempt.sandboxUrl : settings.GOOGLE_BASE_URL;
  if (route === 'live' && !base) throw new UpstreamFailure('rejected_credentials', 'GOOGLE_BASE_URL is not set');
  assert(base, 'an attempt by way of the sandbox has its address');
  const visitor = { device, locale: `${languageOf(country).slice(0, 2)}-${country}`, proxyCountry: route === 'live' ? country : undefined };
  try {
    return await pool.visit(visitor, signal, async (context) => {
      const open = await openPage(context);
      const addressOf = (page: number) => searchAddress({ base, query, country, location, uule, page, ...(tab && { tab }) });
      return work({ ...open, results: (page) => goTo(open, addressOf(page)) });
    });
  } catch (error) {
    if (signal.aborted && (signal.reason as Error).name === 'TimeoutError') throw new UpstreamFailure('timeout', 'The attempt took too long', { cause: error });
    throw error;
  }
}

async function goTo(open: OpenPage, url: string): Promise<void> {
  const status = await open.go(url);
  if (status >= 400) throw pageFailure(status, await open.html());
  const settled = open.page.waitForSelector(SETTLED, { state: 'attached', timeout: SETTLE_MS }).catch(() => {});
  await Promise.race([settled, open.quiet(SETTLE_MS)]);
}
