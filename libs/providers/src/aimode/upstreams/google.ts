import type { BrowserPool } from '../../browser/browser-pool.js';
import { visitGoogle, type GoogleSettings } from '../../browser/google-visit.js';
import type { Attempt } from '../../engine.js';
import { ANSWER } from '../../formats/google-turn.js';
import type { AimodeRequest } from '../contract.js';

/** An answer that has not begun by then is not coming. */
const BEGIN_MS = 30_000;
/** The longest an answer may be written. */
const WRITE_MS = 60_000;

/** The page of AI Mode once its answer is written: that is when nothing more arrives. */
export const askAimode = (settings: GoogleSettings, pool: BrowserPool, attempt: Attempt<AimodeRequest>): Promise<string> =>
  visitGoogle({
    settings,
    pool,
    attempt,
    query: attempt.request.prompt,
    tab: { udm: '50' },
    async work({ results, html, quiet, page }) {
      await results(1);
      const begun = page.waitForSelector(ANSWER, { state: 'attached', timeout: BEGIN_MS }).catch(() => {});
      await Promise.race([begun, quiet(BEGIN_MS)]);
      await quiet(WRITE_MS);
      return html();
    },
  });
