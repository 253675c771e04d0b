import assert from 'node:assert';
import type { Quality } from '@overheard/contracts';
import { sharedPool } from '../browser/browser-pool.js';
import { googleSettings, type GoogleSettings } from '../browser/google-visit.js';
import { browserLacks } from '../browser/settings.js';
import type { Engine, EngineModule } from '../engine.js';
import { missedArticles } from '../formats/google-coverage.js';
import { readGooglePage, requireUnderstood } from '../formats/google-page.js';
import { judgeList } from '../formats/google-quality.js';
import type { GoogleNewsRequest, GoogleNewsResult } from './contract.js';
import { extractResult } from './extract/result.js';
import { askGoogleNews } from './upstreams/google.js';

/** Google News, read from the news tab of Search. */
export const googleNewsEngine: EngineModule<GoogleSettings, GoogleNewsRequest, GoogleNewsResult> = { settings: googleSettings, create: createEngine };

function createEngine(settings: GoogleSettings): Engine<GoogleNewsRequest, GoogleNewsResult> {
  const { pool, release } = sharedPool(settings);
  return {
    service: 'Google News',
    live: settings.GOOGLE_BASE_URL !== undefined,
    lacks: browserLacks(settings),
    close: release,

    async ask(attempt) {
      const { country, include } = attempt.request;
      const asked = performance.now();
      const html = await askGoogleNews(settings, pool, attempt);
      const received = performance.now();
      const { result, quality } = read(html, { asked: country, sent: true });
      const timings = { upstreamMs: received - asked, parseMs: performance.now() - received };
      if (include.html) result.html = await Promise.all(html.map((page) => attempt.storeHtml(page)));
      return { result, quality, timings };
    },

    async extract(files, { format = 'google-news-html', country }) {
      assert(format === 'google-news-html', `GOOGLE_NEWS reads google-news-html, not ${format}`);
      return read(
        files.map(({ text }) => text),
        { asked: country, sent: false },
      );
    },
  };
}

function read(html: string[], country: { asked: string | undefined; sent: boolean }): { result: GoogleNewsResult; quality: Quality } {
  assert(html.length, 'there is a page');
  const pages = html.map(readGooglePage);
  const result = extractResult(pages);
  for (const [index, page] of pages.entries()) requireUnderstood(page, result.newsResults.filter((article) => article.page === index + 1).length);
  const links = result.newsResults.map(({ link }) => link);
  const missed = pages.reduce((sum, page) => sum + missedArticles(page, links), 0);
  return { result, quality: judgeList({ missed, found: links.length, country }) };
}
