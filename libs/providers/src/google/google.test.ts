import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { QualityCheck } from '@overheard/contracts';
import { serveSandbox } from '../browser/serve-sandbox.js';
import { describeWithChromium } from '../browser/with-chromium.js';
import { creditsOf, priceOf } from '../contract.js';
import { googleContract, type GoogleResult } from './contract.js';
import { googleEngine } from './engine.js';
import { googleSandbox } from './sandbox.js';

const read = (name: string) => ({ name, text: readFileSync(new URL(`./fixtures/${name}.html`, import.meta.url), 'utf8') });
const settings = googleEngine.settings.parse(process.env);
const engine = googleEngine.create(settings);
const extract = async (...names: string[]) => {
  const { result, quality } = await engine.extract(names.map(read), {});
  expect(googleContract.result.parse(result)).toEqual(result);
  return { ...result, checks: Object.fromEntries(quality.checks.map(({ id, ...check }: QualityCheck) => [id, check])) };
};
const without = <Entry extends object>(entries: Entry[]) =>
  entries.map(({ position: _position, page: _page, ...entry }: Entry & { position?: number; page?: number }) => entry);

afterAll(() => engine.close!());

describe('a page of results on a desktop', () => {
  it('lists web results with address, date and sitelinks; blocks, panels and cards are none', async () => {
    expect((await extract('desktop')).organicResults).toEqual([
      {
        position: 1,
        page: 1,
        title: 'Which pump is quiet? | Quiet Pumps',
        link: 'https://quietpumps.example/test?srsltid=a1',
        displayedLink: 'https://quietpumps.example › test',
        snippet: 'Jan 22, 2026 — We measured twelve pumps at night; three could not be heard at all from a metre away.',
        date: 'Jan 22, 2026',
        sitelinks: {
          inline: [
            { title: 'The list', link: 'https://quietpumps.example/list' },
            { title: 'How we measure', link: 'https://quietpumps.example/method' },
          ],
        },
      },
      {
        position: 2,
        page: 1,
        title: 'Pump Meter - Apps on Google Play',
        link: 'https://play.google.com/store/apps/details?id=pump',
        displayedLink: 'https://play.google.com › store',
        snippet: 'An app that measures how loud a pump is, with the microphone of your phone.',
      },
    ]);
  });

  it('answers people’s questions: by a page, by the model, or by what a script would show', async () => {
    const { peopleAlsoAsk } = await extract('desktop');
    expect(peopleAlsoAsk).toEqual([
      {
        question: 'Why is my pump loud?',
        snippet: 'Most pumps are loud because air is caught in the wheel.',
        title: 'My pump is loud',
        link: 'https://fishforum.example/loud',
        page: 1,
      },
      {
        question: 'Are air pumps loud?',
        snippet: 'Air pumps are louder than water pumps, because a membrane moves.',
        markdown: 'Air pumps are louder than water pumps, because a membrane moves.',
        sources: [{ position: 1, url: 'https://membranes.example/how', label: 'Membranes' }],
        page: 1,
      },
      {
        question: 'How often should a pump be cleaned?',
        snippet: 'Clean it every three months, or when it hums.',
        title: 'Cleaning',
        link: 'https://cleanpump.example/',
        page: 1,
      },
    ]);
  });

  it('tells what people say from top stories, and suggested searches from entities and pages', async () => {
    const { peopleAreSaying, relatedSearches } = await extract('desktop');
    expect(peopleAreSaying).toEqual([
      { position: 1, title: 'My pump is silent!', link: 'https://social.example/p/1', date: '3 days ago' },
      { position: 2, title: 'Pump drama', link: 'https://social.example/p/2' },
    ]);
    expect(relatedSearches.map(({ query }) => query)).toEqual(['quiet pump for aquarium', 'Quiet pump test']);
    expect(relatedSearches[0]!.link).toBe('https://www.google.com/search?q=quiet+pump+for+aquarium&sa=X');
  });

  it('places text advertisements above and below, and priced cards among them', async () => {
    expect((await extract('desktop')).ads).toEqual([
      {
        position: 1,
        page: 1,
        blockPosition: 'top',
        type: 'text',
        title: 'Airpipe Pumps - Made To Be Silent',
        url: 'https://www.airpipe.example/pumps?from=ad',
        displayedUrl: 'https://www.airpipe.example',
        domain: 'airpipe.example',
        description: 'Pumps that nobody hears, with a warranty of ten years. Order today.',
        sitelinks: [{ url: 'https://www.airpipe.example/nano', title: 'Airpipe Nano' }],
      },
      {
        position: 2,
        page: 1,
        blockPosition: 'top',
        type: 'product',
        title: 'Pump and hose set',
        url: 'https://www.google.com/aclk?sa=l&ai=2',
        store: 'Hoseworld',
        price: { value: 89, currency: 'USD', raw: '$89.00' },
      },
      {
        position: 3,
        page: 1,
        blockPosition: 'bottom',
        type: 'text',
        title: 'Hoseworld Sale',
        url: 'https://hoseworld.example/sale',
        displayedUrl: 'https://hoseworld.example',
        domain: 'hoseworld.example',
      },
    ]);
  });

  it('puts sponsored products and those of the grid into shopping cards, with lowered prices', async () => {
    expect((await extract('desktop')).shoppingCards).toEqual([
      {
        position: 1,
        title: 'Airpipe Nano aquarium pump',
        price: { value: 49.99, currency: 'USD', raw: '$49.99' },
        oldPrice: { value: 59, currency: 'USD', raw: '$59' },
        productLink: 'https://shop.example/nano?id=7',
        store: 'Fishworld',
        thumbnail: 'https://pictures.example/nano.webp',
        rating: 4.6,
        reviews: '1,210',
      },
      {
        position: 2,
        title: 'Bluewave 60',
        price: { value: 39, currency: 'USD', raw: '$39.00' },
        store: 'Petshop',
        thumbnail: 'https://pictures.example/bluewave.jpg',
      },
    ]);
  });
});

describe('other kinds of pages', () => {
  it('mobile: titles without h3; panel answers and video cards are no results', async () => {
    const { organicResults, relatedSearches } = await extract('mobile');
    expect(without(organicResults)).toEqual([
      {
        title: 'Welche Pumpe ist leise?',
        link: 'https://www.leisepumpen.example/test',
        displayedLink: 'www.leisepumpen.example › test',
        snippet: 'vor 3 Tagen — Zwölf Pumpen im Vergleich, nachts gemessen und mit dem Ohr geprüft.',
        date: 'vor 3 Tagen',
      },
      {
        title: 'Pumpen im Zoo',
        link: 'https://zoo.example/pumpe',
        displayedLink: 'https://zoo.example',
        snippet: 'Wie ein Zoo seine Pumpen so aufstellt, dass kein Besucher sie hört.',
      },
    ]);
    expect(relatedSearches.map(({ query }) => query)).toEqual(['leise pumpe kaufen']);
  });

  it('before 2019: titles around their links, Google’s redirects resolved', async () => {
    const { organicResults, ads, relatedSearches } = await extract('before-2019');
    expect(organicResults.map(({ link, date, sitelinks }) => [link, date, sitelinks?.inline.map(({ title }) => title)])).toEqual([
      ['https://www.plombier.example/', '3 oct. 2018', ['Prix', 'Avis']],
      ['https://artisans.example/paris', undefined, undefined],
    ]);
    expect(without(ads)).toEqual([
      {
        blockPosition: 'top',
        type: 'text',
        title: 'Plombier 24h/24',
        displayedUrl: 'www.urgence.example/Paris',
        domain: 'urgence.example',
        description: 'Un plombier chez vous en trente minutes, tous les jours.',
        sitelinks: [{ url: 'https://urgence.example/tarifs', title: 'Nos tarifs' }],
      },
    ]);
    expect(relatedSearches.map(({ query }) => query)).toEqual(['plombier paris 10']);
  });

  it('basic: no headings at all', async () => {
    const { organicResults, ads, peopleAlsoAsk, relatedSearches } = await extract('basic');
    expect(organicResults.map(({ title, link, date }) => [title, link, date])).toEqual([
      ['A guide to pumps', 'https://pumps.example/guide', 'Oct 25, 2022'],
      ['Pond life', 'https://pond.example/', undefined],
    ]);
    expect(ads.map(({ title, domain, blockPosition }) => [title, domain, blockPosition])).toEqual([['Pumps in stock', 'pumpstore.example', 'top']]);
    expect([peopleAlsoAsk, relatedSearches.map(({ query }) => query)]).toEqual([[{ question: 'Which pump do I need?', page: 1 }], ['pump for pond']]);
  });

  it('right to left: digits, dates and prices as shown', async () => {
    const { organicResults, shoppingCards, relatedSearches } = await extract('right-to-left');
    expect(organicResults.map(({ title, date }) => [title, date])).toEqual([['أفضل مضخة هادئة', 'قبل ٣ أيام']]);
    expect(shoppingCards[0]).toMatchObject({ title: 'مضخة', price: { value: 12.5, currency: 'AED', raw: '١٢٫٥٠ د.إ.' }, store: 'متجر' });
    expect(relatedSearches.map(({ query }) => query)).toEqual(['مضخة صغيرة']);
  });

  it('several pages are one answer whose positions run on', async () => {
    const { organicResults } = await extract('desktop', 'mobile');
    expect(organicResults.map(({ position, page }) => [position, page])).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
      [4, 2],
    ]);
  });

  it('a consent window over results is no obstacle', async () => {
    expect((await extract('consent-over-results')).organicResults).toHaveLength(1);
  });

  it('a page that found nothing is a good answer, in any language', async () => {
    const { organicResults, ads, peopleAlsoAsk, relatedSearches, aioverview } = await extract('no-results');
    expect([organicResults, ads, peopleAlsoAsk, relatedSearches, aioverview]).toEqual([[], [], [], [], null]);
  });

  it('a layout that is understood in part is degraded', async () => {
    expect((await extract('half-understood')).checks.complete_stream).toEqual({ status: 'failed', detail: '1 of 2 listed results were not understood' });
  });
});

describe('the AI Overview', () => {
  it('is read with its sources, and its marks by the notes in comments', async () => {
    const { aioverview, checks } = await extract('overview');
    expect(aioverview).toEqual({
      text: 'A pump is loud when air is caught in it.\n\nWhat helps\n\n1. Tilt it gently.\n2. Clean the wheel.\n\nPump\tdB\nNano\t20',
      markdown:
        'A pump is loud when air is caught in it.\n\n**What helps**\n\n1. Tilt it *gently*.\n2. Clean the wheel.\n\n| Pump | dB |\n| --- | --- |\n| Nano | 20 |',
      sources: [
        {
          position: 1,
          url: 'https://cleanpump.example/wheel',
          label: 'Cleaning the wheel',
          description: 'A brush and warm water are all you need to clean the wheel of a pump.',
        },
        { position: 2, url: 'https://airinpumps.example/hum', label: 'Air in pumps', description: 'Air makes pumps hum.' },
      ],
      citationPills: [
        { label: 'Air in pumps', citationPillId: 1, url: 'https://airinpumps.example/hum', domain: 'airinpumps.example', position: 2 },
        { label: 'Cleaning the wheel', citationPillId: 2, url: 'https://cleanpump.example/wheel', domain: 'cleanpump.example', position: 1 },
        { label: 'Cleaning the wheel', citationPillId: 3, url: 'https://cleanpump.example/wheel', domain: 'cleanpump.example', position: 1 },
      ],
      videos: [
        {
          url: 'https://videos.example/watch?v=9',
          title: 'Silence a pump',
          thumbnail: 'https://pictures.example/v.jpg',
          source: 'Fish Channel',
          platform: 'YouTube',
          date: '8mo',
          duration: '1:31',
        },
      ],
    });
    expect([checks.aioverview, checks.citations_resolve]).toEqual([{ status: 'ok', detail: 'present' }, { status: 'ok' }]);
  });

  it('of 2025 has its marks resolved by a script', async () => {
    const { citationPills } = (await extract('overview-2025')).aioverview!;
    expect(citationPills.map(({ url }) => url)).toEqual(['https://airinpumps.example/', 'https://dirt.example/']);
  });

  it('is null while it is only announced, and where there is no room for it', async () => {
    const states = await Promise.all(['overview-deferred', 'mobile'].map(async (name) => extract(name)));
    expect(states.map(({ aioverview, checks }) => [aioverview, checks.aioverview])).toEqual([
      [null, { status: 'failed', detail: 'deferred' }],
      [null, { status: 'failed', detail: 'absent' }],
    ]);
  });
});

describe('a page that is no answer', () => {
  it.each([
    ['captcha', 'blocked'],
    ['captcha-of-2016', 'blocked'],
    ['consent', 'blocked'],
    ['script-required', 'blocked'],
    ['sign-in', 'blocked'],
    ['error', 'blocked'],
    ['unknown-layout', 'invalid_answer'],
    ['empty-frame', 'invalid_answer'],
  ])('%s: %s', async (name, reason) => {
    await expect(engine.extract([read(name)], {})).rejects.toMatchObject({ name: 'UpstreamFailure', reason, retryable: true });
  });
});

describe('the operator’s upstream', () => {
  const request = googleContract.request.parse({ query: 'pump' });
  const attempt = { request, sandboxUrl: undefined, route: 'live', signal: AbortSignal.timeout(10_000), storeHtml: async () => '' } as const;

  it('is missing without an address: not live, and an attempt is rejected_credentials', async () => {
    expect(engine.live).toBe(false);
    await expect(engine.ask(attempt)).rejects.toMatchObject({ reason: 'rejected_credentials' });
  });

  it('is unavailable where there is no browser, which is said beforehand', async () => {
    const blind = googleEngine.create(googleEngine.settings.parse({ GOOGLE_BASE_URL: 'https://www.google.com', CHROMIUM_PATH: '/nowhere/chromium' }));
    expect(blind.lacks).toContain('/nowhere/chromium');
    await expect(blind.ask(attempt)).rejects.toMatchObject({ reason: 'unavailable', message: blind.lacks });
    await blind.close!();
  });
});

it.each([
  [{}, 3],
  [{ include: { aioverview: {} } }, 5],
  [{ include: { aioverview: true, paaAioverview: true }, pages: 3 }, 11],
])('%j costs %i credits (decisions M1 and M2)', (change, credits) => {
  expect(creditsOf(priceOf(googleContract, googleContract.request.parse({ query: 'pump', ...change })))).toBe(credits);
});

describeWithChromium(settings, 'in a real browser', () => {
  const ask = async (request: object, signal = AbortSignal.timeout(30_000)) => {
    await using sandbox = await serveSandbox(googleSandbox);
    const stored: string[] = [];
    const storeHtml = async (html: string) => `https://storage.example/${stored.push(html)}`;
    const answer = await engine.ask({
      request: googleContract.request.parse({ country: 'US', ...request }),
      route: 'sandbox',
      sandboxUrl: sandbox.url,
      signal,
      storeHtml,
    });
    expect(googleContract.result.parse(answer.result)).toEqual(answer.result);
    return { ...(answer.result as GoogleResult), quality: answer.quality, timings: answer.timings, stored, notes: sandbox.notes };
  };

  it('a deferred overview is waited for, questions are opened, and each page is kept', async () => {
    const answer = await ask({
      query: 'quiet pump #nonce=n1 #aio #paa #ads #shopping #videos',
      include: { html: true, aioverview: { markdown: true }, paaAioverview: true },
    });
    expect(answer.aioverview?.text).toContain('n1');
    expect(answer.aioverview?.citationPills.length).toBeGreaterThan(0);
    expect(answer.aioverview?.videos).toHaveLength(3);
    expect(answer.peopleAlsoAsk.map(({ snippet, markdown }) => [Boolean(snippet), Boolean(markdown)])).toEqual([
      [true, false],
      [true, true],
      [true, false],
    ]);
    expect(new Set(answer.ads.map(({ blockPosition, type }) => `${blockPosition} ${type}`))).toEqual(new Set(['top text', 'top product', 'bottom text']));
    expect(answer.shoppingCards.filter(({ oldPrice }) => oldPrice)).toHaveLength(1);
    expect([answer.html, answer.aioverview?.html, answer.stored.length]).toEqual([['https://storage.example/1'], 'https://storage.example/2', 2]);
    expect(answer.quality.status).toBe('ok');
    expect(answer.timings.upstreamMs).toBeGreaterThan(0);
  }, 30_000);

  it('what is not asked for is not there', async () => {
    const answer = await ask({ query: 'quiet pump #aio #paa' });
    expect(['aioverview' in answer, 'html' in answer]).toEqual([false, false]);
    expect(answer.peopleAlsoAsk.some(({ markdown, sources }) => markdown || sources)).toBe(false);
  }, 30_000);

  it('the country, its language, the place, the device and the page reach Google', async () => {
    const { notes, organicResults } = await ask({ query: 'quiet pump', country: 'DE', location: 'Munich,Bavaria,Germany', device: 'mobile', pages: 2 });
    expect(notes).toEqual(
      [1, 2].map((page) => ({ prompt: 'quiet pump', country: 'DE', location: 'Munich,Bavaria,Germany', language: 'de', device: 'mobile', page })),
    );
    expect(new Set(organicResults.map(({ page }) => page))).toEqual(new Set([1, 2]));
  }, 30_000);

  it('each kind of block is blocked, an outage unavailable, and then the answer comes', async () => {
    await using sandbox = await serveSandbox(googleSandbox);
    const reasons: unknown[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const attempt = {
        request: googleContract.request.parse({ query: 'pump #blocked=3 #fail=1' }),
        route: 'sandbox',
        sandboxUrl: sandbox.url,
        signal: AbortSignal.timeout(30_000),
        storeHtml: async () => '',
      } as const;
      reasons.push(
        await engine.ask(attempt).then(
          () => 'answer',
          ({ reason }: { reason?: string }) => reason,
        ),
      );
    }
    expect(reasons).toEqual(['blocked', 'blocked', 'blocked', 'unavailable', 'answer']);
  }, 60_000);

  it('a page that breaks off is unavailable, one without anything invalid_answer, one that found nothing an answer', async () => {
    await expect(ask({ query: 'pump #truncate' })).rejects.toMatchObject({ reason: 'unavailable' });
    await expect(ask({ query: 'pump #empty' })).rejects.toMatchObject({ reason: 'invalid_answer' });
    expect((await ask({ query: 'pump #noresults' })).organicResults).toEqual([]);
  }, 60_000);

  it('an overview that is not shown is null, and degraded, so that it is asked for again', async () => {
    const { aioverview, quality, organicResults } = await ask({ query: 'pump #noaio', include: { aioverview: true } });
    expect([aioverview, quality.status, organicResults.length > 0]).toEqual([null, 'degraded', true]);
  }, 30_000);

  it('an abort ends the attempt within a second, with its reason', async () => {
    const nobodyWaits = new AbortController();
    const reason = new Error('nobody waits');
    setTimeout(() => nobodyWaits.abort(reason), 300);
    const began = Date.now();
    await expect(ask({ query: 'pump #delay=8s' }, nobodyWaits.signal)).rejects.toBe(reason);
    expect(Date.now() - began).toBeLessThan(1300);
    await expect(ask({ query: 'pump #delay=8s' }, AbortSignal.timeout(300))).rejects.toMatchObject({ reason: 'timeout' });
  }, 30_000);
});
