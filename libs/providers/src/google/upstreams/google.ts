import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { BrowserPool } from '../../browser/browser-pool.js';
import { visitGoogle, type GoogleSettings, type Search } from '../../browser/google-visit.js';
import type { Attempt } from '../../engine.js';
import { BODIES } from '../../formats/google-answer.js';
import { IN_PROGRESS, OVERVIEW_PLACE } from '../../formats/google-overview.js';
import { NOTHING_FOUND } from '../../formats/google-page.js';
import { PAIR } from '../../formats/google-questions.js';
import type { GoogleRequest } from '../contract.js';

/** An overview that is not there by then is not coming. */
const OVERVIEW_MS = 20_000;
const LOOK_EVERY_MS = 100;
/** What a click may take to show what it shows. */
const CLICK_MS = 4000;

/** The pages of results, each as a person sees it who waits for the overview and opens the questions. */
export const askGoogle = (settings: GoogleSettings, pool: BrowserPool, attempt: Attempt<GoogleRequest>): Promise<string[]> =>
  visitGoogle({
    settings,
    pool,
    attempt,
    query: attempt.request.query,
    async work(search) {
      const { pages, include } = attempt.request;
      const html: string[] = [];
      for (let page = 1; page <= pages; page += 1) {
        await search.results(page);
        if (page === 1 && include.aioverview) await showOverview(search);
        await openQuestions(search);
        html.push(await search.html());
        if (await isPastTheEnd(search.page)) break;
      }
      return html;
    },
  });

/** Waits while the overview is being written, then opens what of it is folded away. */
async function showOverview({ page, quiet }: Search): Promise<void> {
  const place = page.locator(OVERVIEW_PLACE).first();
  const body = place.locator(BODIES.join(', ')).filter({ hasText: /\S/ });
  const inProgress = place.locator(IN_PROGRESS).filter({ visible: true });
  for (const until = Date.now() + OVERVIEW_MS; Date.now() < until; await sleep(LOOK_EVERY_MS)) {
    if ((await body.count()) > 0 || (await inProgress.count()) === 0) break;
  }
  if (await clickAll(page, `:is(${OVERVIEW_PLACE}) [role="button"][aria-expanded="false"][aria-controls]`)) await quiet(CLICK_MS);
}

async function openQuestions({ page, quiet }: Search): Promise<void> {
  if (await clickAll(page, `${PAIR} [role="button"][aria-expanded="false"]`)) await quiet(CLICK_MS);
}

/** Clicks whatever a selector finds at this moment, seen or not; gives how many. */
async function clickAll(page: Page, selector: string): Promise<number> {
  const elements = await page.$$(selector);
  for (const element of elements) await element.dispatchEvent('click');
  return elements.length;
}

const isPastTheEnd = async (page: Page): Promise<boolean> => (await page.locator(NOTHING_FOUND).count()) > 0;
