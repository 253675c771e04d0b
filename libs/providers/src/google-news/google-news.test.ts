import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { serveSandbox } from '../browser/serve-sandbox.js';
import { describeWithChromium } from '../browser/with-chromium.js';
import { creditsOf, priceOf } from '../contract.js';
import { googleNewsContract } from './contract.js';
import { googleNewsEngine } from './engine.js';
import { googleNewsSandbox } from './sandbox.js';

const read = (name: string) => ({ name, text: readFileSync(new URL(`./fixtures/${name}.html`, import.meta.url), 'utf8') });
const settings = googleNewsEngine.settings.parse(process.env);
const engine = googleNewsEngine.create(settings);
const extract = async (...names: string[]) => {
  const { result } = await engine.extract(names.map(read), {});
  expect(googleNewsContract.result.parse(result)).toEqual(result);
  return result.newsResults;
};

afterAll(() => engine.close!());

describe('the news tab', () => {
  it('lists articles with source, snippet, date and picture as far as they are there', async () => {
    expect(await extract('articles')).toEqual([
      {
        position: 1,
        page: 1,
        title: 'Pumps recalled',
        link: 'https://daily.example/pumps-recalled',
        source: 'Daily Compass',
        snippet: 'A maker calls back ten thousand pumps that hum at night...',
        date: '2 hours ago',
        thumbnail: 'https://pictures.example/recall.jpg',
      },
      { position: 2, page: 1, title: 'The price of silence', link: 'https://gazette.example/silence', source: 'North Gazette', date: 'Dec 13, 2024' },
    ]);
  });

  it('before 2020 had source and date in one line', async () => {
    expect(await extract('before-2020')).toEqual([
      {
        position: 1,
        page: 1,
        title: 'Pumps in the news',
        link: 'https://daily.example/pumps',
        source: 'Daily Compass',
        snippet: 'Three towns have banned pumps that can be heard from the street.',
        date: '3 hours ago',
        thumbnail: 'https://pictures.example/p.jpg',
      },
    ]);
  });

  it('several pages are one answer whose positions run on', async () => {
    expect((await extract('articles', 'before-2020')).map(({ position, page }) => [position, page])).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
    ]);
  });

  it('that found nothing is a good answer', async () => expect(await extract('no-articles')).toEqual([]));

  it.each([
    ['captcha', 'blocked'],
    ['unknown-layout', 'invalid_answer'],
  ])('%s: %s', async (name, reason) => {
    await expect(engine.extract([read(name)], {})).rejects.toMatchObject({ name: 'UpstreamFailure', reason });
  });
});

it.each([
  [{}, 3],
  [{ pages: 10, include: { html: true } }, 3],
])('%j costs %i credits: pages are free here (decision M2)', (change, credits) => {
  expect(creditsOf(priceOf(googleNewsContract, googleNewsContract.request.parse({ query: 'pump', ...change })))).toBe(credits);
});

describeWithChromium(settings, 'in a real browser', () => {
  it('pages are fetched one by one, combined and kept', async () => {
    await using sandbox = await serveSandbox(googleNewsSandbox);
    const request = googleNewsContract.request.parse({ query: 'pump #nonce=n1', country: 'JP', pages: 2, include: { html: true } });
    const { result, quality } = await engine.ask({
      request,
      route: 'sandbox',
      sandboxUrl: sandbox.url,
      signal: AbortSignal.timeout(30_000),
      storeHtml: async (html) => `https://storage.example/${html.length}`,
    });
    expect(googleNewsContract.result.parse(result)).toEqual(result);
    expect(new Set(result.newsResults.map(({ page }) => page))).toEqual(new Set([1, 2]));
    expect(result.newsResults.every(({ link, source }) => link.includes('n1') && source)).toBe(true);
    expect(result.html).toHaveLength(2);
    expect(quality.status).toBe('ok');
    expect(sandbox.notes.map(({ country, language, device, page }) => [country, language, device, page])).toEqual([
      ['JP', 'ja', 'desktop', 1],
      ['JP', 'ja', 'desktop', 2],
    ]);
  }, 30_000);

  it('a block is blocked, nothing found an answer', async () => {
    await using sandbox = await serveSandbox(googleNewsSandbox);
    const ask = (query: string) =>
      engine.ask({
        request: googleNewsContract.request.parse({ query }),
        route: 'sandbox',
        sandboxUrl: sandbox.url,
        signal: AbortSignal.timeout(30_000),
        storeHtml: async () => '',
      });
    await expect(ask('pump #blocked')).rejects.toMatchObject({ reason: 'blocked' });
    expect((await ask('pump #noresults')).result.newsResults).toEqual([]);
  }, 30_000);
});
