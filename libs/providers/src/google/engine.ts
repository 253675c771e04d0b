import assert from 'node:assert';
import type { Quality, QualityCheck } from '@overheard/contracts';
import { sharedPool } from '../browser/browser-pool.js';
import { googleSettings, type GoogleSettings } from '../browser/google-visit.js';
import { browserLacks } from '../browser/settings.js';
import type { Engine, EngineModule } from '../engine.js';
import { missedResults } from '../formats/google-coverage.js';
import { aiOverview, type Overview } from '../formats/google-overview.js';
import { readGooglePage, requireUnderstood, type GooglePage } from '../formats/google-page.js';
import { judgeList } from '../formats/google-quality.js';
import { htmlOf } from '../formats/html.js';
import type { GoogleRequest, GoogleResult } from './contract.js';
import { extractResult } from './extract/result.js';
import { askGoogle } from './upstreams/google.js';

/** Google Search, read from its pages. */
export const googleEngine: EngineModule<GoogleSettings, GoogleRequest, GoogleResult> = { settings: googleSettings, create: createEngine };

const EVERYTHING = { html: false, aioverview: { markdown: true }, paaAioverview: true };

function createEngine(settings: GoogleSettings): Engine<GoogleRequest, GoogleResult> {
  const { pool, release } = sharedPool(settings);
  return {
    service: 'Google',
    live: settings.GOOGLE_BASE_URL !== undefined,
    lacks: browserLacks(settings),
    close: release,

    async ask(attempt) {
      const { country, include } = attempt.request;
      const asked = performance.now();
      const html = await askGoogle(settings, pool, attempt);
      const received = performance.now();
      const { result, quality, overview } = read(html, include, { asked: country, sent: true });
      const timings = { upstreamMs: received - asked, parseMs: performance.now() - received };
      if (include.html) {
        result.html = await Promise.all(html.map((page) => attempt.storeHtml(page)));
        if (result.aioverview && overview.place) result.aioverview.html = await attempt.storeHtml(htmlOf(overview.place));
      }
      return { result, quality, timings };
    },

    async extract(files, { format = 'google-html', country }) {
      assert(format === 'google-html', `GOOGLE reads google-html, not ${format}`);
      const { result, quality } = read(
        files.map(({ text }) => text),
        EVERYTHING,
        { asked: country, sent: false },
      );
      return { result, quality };
    },
  };
}

interface Reading {
  result: GoogleResult;
  quality: Quality;
  overview: Overview;
}

function read(html: string[], include: GoogleRequest['include'], country: { asked: string | undefined; sent: boolean }): Reading {
  const pages = html.map(readGooglePage);
  const [first] = pages;
  assert(first, 'there is a page');
  const overview = aiOverview(first);
  const result = extractResult({ pages, overview, include, country: country.asked ?? first.region });
  requireResults(pages, result);
  const missed = pages.reduce((sum, page) => sum + missedResults(page, linksIn(result)), 0);
  const more = include.aioverview ? overviewChecks(overview) : [];
  return { result, overview, quality: judgeList({ missed, found: result.organicResults.length, country, more }) };
}

/** A later page may be past the end of the list; every other one has to show something, or say that there is nothing. */
function requireResults(pages: GooglePage[], { organicResults }: GoogleResult): void {
  for (const [index, page] of pages.entries()) {
    const found = organicResults.filter((result) => result.page === index + 1).length;
    requireUnderstood(page, found);
  }
}

const linksIn = ({ organicResults }: GoogleResult): string[] =>
  organicResults.flatMap(({ link, sitelinks }) => [link, ...(sitelinks?.inline ?? []).map((other) => other.link)]);

function overviewChecks({ state, answer }: Overview): QualityCheck[] {
  const check: QualityCheck = { id: 'aioverview', status: state === 'present' ? 'ok' : 'failed', detail: state };
  if (!answer) return [check];
  const { pills, unresolved } = answer;
  if (pills.length + unresolved === 0) return [check, { id: 'citations_resolve', status: 'not_applicable', detail: 'The overview cites nothing' }];
  return [
    check,
    unresolved ? { id: 'citations_resolve', status: 'failed', detail: `${unresolved} without a source` } : { id: 'citations_resolve', status: 'ok' },
  ];
}
