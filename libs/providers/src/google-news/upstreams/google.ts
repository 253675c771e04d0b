import type { BrowserPool } from '../../browser/browser-pool.js';
import { visitGoogle, type GoogleSettings } from '../../browser/google-visit.js';
import type { Attempt } from '../../engine.js';
import { NOTHING_FOUND } from '../../formats/google-page.js';
import type { GoogleNewsRequest } from '../contract.js';

/** The pages of the news tab. */
export const askGoogleNews = (settings: GoogleSettings, pool: BrowserPool, attempt: Attempt<GoogleNewsRequest>): Promise<string[]> =>
  visitGoogle({
    settings,
    pool,
    attempt,
    query: attempt.request.query,
    tab: { tbm: 'nws' },
    async work({ results, html, page: browserPage }) {
      const pages: string[] = [];
      for (let page = 1; page <= attempt.request.pages; page += 1) {
        await results(page);
        pages.push(await html());
        if ((await browserPage.locator(NOTHING_FOUND).count()) > 0) break;
      }
      return pages;
    },
  });
