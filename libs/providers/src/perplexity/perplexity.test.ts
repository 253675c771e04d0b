import { describe, expect, it } from '@jest/globals';
import { exerciseProvider, fixturesBeside, stream } from '../exercise-provider.js';
import { replayUpstream } from '../replay-upstream.js';
import { perplexityContract } from './contract.js';
import { perplexityEngine } from './engine.js';

const { read, fixture } = fixturesBeside(import.meta.url);
const asStream = { http: stream };

exerciseProvider(perplexityContract, perplexityEngine, {
  request: { prompt: 'Which kettle pours best?', country: 'DE' },
  fixtures: [
    fixture('workflow.sse', 'ok', asStream),
    fixture('ask-text.sse', 'ok', asStream),
    fixture('numbered-parts.sse', 'ok', asStream),
    fixture('steps-only.sse', 'ok', asStream),
    fixture('thread.json', 'ok'),
    fixture('upsell-beside-answer.sse', 'ok', asStream),
    fixture('sonar.sse', 'ok', asStream),
    fixture('sonar.json', 'ok'),
    fixture('sonar-thinking.sse', 'ok', asStream),
    fixture('sonar-citations.json', 'ok'),
    fixture('workflow-broken-off.sse', 'degraded', { http: { ...stream, then: 'break' } }),
    fixture('text-completed-too-early.sse', 'degraded', asStream),
    fixture('sonar-broken-off.sse', 'degraded', { http: { ...stream, then: 'break' } }),
    fixture('sonar-without-end.sse', 'degraded', asStream),
    fixture('sonar-unresolved.json', 'degraded'),
    fixture('sonar-too-long.json', 'degraded'),
    fixture('sonar-unsourced.json', 'degraded'),
    fixture('workflow-before-text.sse', 'invalid_answer', asStream),
    fixture('sonar-before-text.sse', 'invalid_answer', asStream),
    fixture('sonar-empty.json', 'invalid_answer'),
    fixture('failed.sse', 'unavailable', asStream),
    fixture('sonar-error-in-stream.sse', 'unavailable', asStream),
    fixture('signed-out.sse', 'blocked', asStream),
    fixture('no-quota.sse', 'quota_exhausted', asStream),
    fixture('challenge.html', 'blocked', { http: { status: 403 } }),
    fixture('rate-limited.json', 'rate_limited', { http: { status: 429 } }),
    fixture('sonar-bad-key.json', 'rejected_credentials', { http: { status: 401 } }),
    fixture('sonar-quota.json', 'quota_exhausted', { http: { status: 401 } }),
    fixture('sonar-rejected.json', 'rejected_request', { http: { status: 400 } }),
    {
      name: 'a connection that broke before any text',
      body: read('workflow-before-text.sse'),
      expects: 'unavailable',
      http: { ...stream, then: 'break' },
      storedTells: false,
    },
    { name: 'an empty body', body: '', expects: 'invalid_answer' },
    { name: 'no answer at all', body: '[1, "two"]', expects: 'invalid_answer' },
  ],
  flags: { html: ['html'], markdown: ['markdown'], rawResponse: ['rawResponse'] },
  credits: [
    [{}, 3],
    [{ include: { html: true, markdown: true, rawResponse: true } }, 3],
  ],
});

const engineWith = (settings: object = {}) => perplexityEngine.create(perplexityEngine.settings.parse(settings));
const extracted = async (file: string, options: { country?: string; format?: string } = {}) =>
  engineWith().extract([{ name: file, text: read(file) }], options);
const resultOf = async (file: string) => (await extracted(file)).result;

const TEXT = 'The Stagg Nine pours best.\n\nWhat else counts\n\nWeight: 900 g\narr[1] is code, and so is this:\n\nlist[2]\n\nA kettle boils water.';

describe('what is extracted', () => {
  it.each(['workflow.sse', 'sonar.sse', 'sonar.json'])('from %s is its words, without marks; what stands in code is none', async (file) => {
    expect((await resultOf(file)).text).toBe(TEXT);
  });

  it.each(['workflow.sse', 'sonar.sse', 'sonar.json'])('from %s is each page once, the cited ones in the order of the text', async (file) => {
    expect((await resultOf(file)).sources).toEqual([
      { position: 1, url: 'https://pourlab.example/which-kettle', label: 'Which kettle pours best?' },
      { position: 2, url: 'https://www.steepnotes.example/kettles', label: 'Gooseneck kettles compared', description: 'Eleven kettles, one winter.' },
      { position: 3, url: 'https://wiki.example/Kettle_(appliance)', label: 'Kettle (appliance)', description: 'A vessel for boiling water.' },
    ]);
  });

  it('is one pill a mark, named by its site, and each mark a link with its source’s number in the Markdown', async () => {
    const { citationPills, markdown } = await resultOf('workflow.sse');
    expect(citationPills.map(({ label, position }) => [label, position])).toEqual([
      ['pourlab.example', 1],
      ['steepnotes.example', 2],
      ['steepnotes.example', 2],
      ['wiki.example', 3],
    ]);
    expect(markdown).toContain('best.[1](https://pourlab.example/which-kettle)[2](https://www.steepnotes.example/kettles)');
    expect(markdown).toContain('water[3](<https://wiki.example/Kettle_(appliance)>).');
    expect(markdown).toContain('`arr[1]`');
  });

  it('leaves out a mark that names no source, and says so', async () => {
    const { result, quality } = await extracted('sonar-unresolved.json');
    expect([result.text, result.citationPills.length]).toEqual(['Known, unknown.', 1]);
    expect(quality.checks).toContainEqual({ id: 'citations_resolve', status: 'failed', detail: '1 without a source' });
  });

  it('is not what the model thought', async () => {
    expect((await resultOf('sonar-thinking.sse')).text).toBe('Buy a kettle.');
    expect((await resultOf('workflow.sse')).text).not.toContain('The user asks');
  });

  it('is the whole block of the older layout, else its parts in order, else what the steps say', async () => {
    const older = 'A gooseneck pours slowly.\n\nWhy slowly?\n\nIt wets the grounds evenly.';
    expect((await resultOf('ask-text.sse')).text).toBe(older);
    expect((await resultOf('steps-only.sse')).text).toBe(older);
    expect((await resultOf('numbered-parts.sse')).text).toBe('First the second.\n\nThen the tenth.');
  });

  it('is the last entry of a thread', async () => expect((await resultOf('thread.json')).text).toBe('The second answer counts.'));

  it('is every fan-out query with engine and limit, as told or as the app always has them, apart from the suggestions', async () => {
    expect((await resultOf('ask-text.sse')).search_model_queries).toEqual([
      { query: 'gooseneck kettle test', engine: 'web', limit: 8 },
      { query: 'bester Schwanenhalskessel', engine: 'scholar', limit: 5 },
    ]);
    const { search_model_queries: queries, related_queries: related } = await resultOf('workflow.sse');
    expect(queries.map(({ engine, limit }) => [engine, limit])).toEqual([
      ['web', 8],
      ['web', 8],
    ]);
    expect(related).toEqual(['How hot should the water be?', 'Are gooseneck kettles worth it?']);
    expect((await resultOf('sonar.sse')).related_queries).toEqual(related);
  });

  it('is each picture and film once, pictures that were taken back not at all', async () => {
    const { images, videos } = await resultOf('workflow.sse');
    expect(images).toEqual([
      {
        title: 'A gooseneck kettle',
        url: 'https://www.steepnotes.example/kettles',
        thumbnail: 'https://img.example/kettle-s.jpg',
        medium: 'image',
        source: 'web',
        image_width: 1200,
        image_height: 800,
        thumbnail_width: 300,
        thumbnail_height: 200,
      },
    ]);
    expect(videos.map(({ title, url }) => [title, url])).toEqual([['How to pour', 'https://video.example/watch?v=pour']]);
    expect((await resultOf('ask-text.sse')).images).toHaveLength(1);
  });

  it('is what the API sends of pictures and films', async () => {
    const { images, videos } = await resultOf('sonar.json');
    expect(images).toEqual([
      {
        title: 'steepnotes.example',
        url: 'https://www.steepnotes.example/kettles',
        thumbnail: 'https://img.example/kettle.jpg',
        medium: 'image',
        image_width: 1200,
        image_height: 800,
      },
    ]);
    expect(videos).toEqual([
      {
        title: 'video.example',
        url: 'https://video.example/watch?v=pour',
        thumbnail: 'https://video.example/pour.jpg',
        medium: 'video',
        thumbnail_width: 480,
        thumbnail_height: 360,
      },
    ]);
  });

  it('is products in cards, hotels and places as far as they are told', async () => {
    const { shopping_cards: cards, hotels, places } = await resultOf('workflow.sse');
    expect(cards?.map(({ tags, products }) => [tags, products.map(({ title, position, merchant }) => [title, position, merchant])])).toEqual([
      [['Tested'], [['Stagg Nine', 1, 'Teeladen']]],
      [[], [['Brewista Uno', 2, undefined]]],
    ]);
    expect(cards?.[0]?.products[0]?.offers).toEqual([
      { merchant_name: 'Teeladen', url: 'https://shop.example/stagg-nine', price: '€149.00', original_price: '€179.00', available: true },
    ]);
    expect(hotels).toEqual([
      {
        name: 'Hotel Kessel',
        url: 'https://kessel.example',
        rating: 4.3,
        num_reviews: 641,
        address: ['Am Markt 2', 'Hamburg'],
        phone: '+49 40 555',
        lat: 53.5,
        lng: 10,
        description: 'By the harbour.',
        image_url: 'https://kessel.example/front.jpg',
        images: ['https://kessel.example/2.jpg'],
        price_level: '$$',
        categories: ['Hotel'],
      },
    ]);
    expect(places).toEqual([
      { name: 'Kettle Museum', address: ['Teeweg 4, Hamburg'], lat: 53.55, lng: 9.99 },
      {
        name: 'Teehaus',
        url: 'https://teehaus.example',
        map_url: 'https://maps.example/?q=teehaus',
        rating: 4.6,
        address: ['Alster 1'],
        lat: 53.56,
        lng: 9.98,
        categories: ['Tea room'],
      },
    ]);
  });

  it('has no key for products, hotels and places when there are none', async () => {
    expect(Object.keys(await resultOf('sonar.json')).sort()).toEqual([
      'citationPills',
      'images',
      'markdown',
      'rawResponse',
      'related_queries',
      'search_model_queries',
      'sources',
      'text',
      'videos',
    ]);
  });

  it('holds the events as they came, before any patch', async () => {
    const { rawResponse = [] } = await resultOf('workflow.sse');
    const payloads = [...read('workflow.sse').matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
    expect(rawResponse).toEqual(payloads);
  });

  it.each([
    ['DE', 'ok'],
    ['FR', 'failed'],
    [undefined, 'not_applicable'],
  ])('is held against the country asked for: %s is %s', async (country, status) => {
    const { quality } = await extracted('workflow.sse', country === undefined ? {} : { country });
    expect(quality.checks.find(({ id }) => id === 'country_applied')?.status).toBe(status);
  });

  it('is refused in a format of another provider', async () => {
    await expect(extracted('sonar.json', { format: 'gemini' })).rejects.toThrow('PERPLEXITY reads perplexity-web, sonar, not gemini');
  });
});

describe('the operator’s upstream', () => {
  const request = perplexityContract.request.parse({ prompt: 'Which kettle pours best?', country: 'DE' });
  const live = { request, route: 'live' as const, sandboxUrl: undefined, signal: new AbortController().signal, storeHtml: async () => '' };

  it('is the Sonar API, asked from the country under the operator’s key', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('sonar.sse'), chunkBytes: 1021 });
    const engine = engineWith({ PERPLEXITY_API_KEY: 'pplx-operator', PERPLEXITY_BASE_URL: `${upstream.url}/`, PERPLEXITY_MODEL: 'sonar-pro' });
    const { result, quality } = await engine.ask(live);
    expect([engine.live, result.text, result.related_queries.length]).toEqual([true, TEXT, 2]);
    expect(quality.checks).toContainEqual({ id: 'country_applied', status: 'ok', detail: 'As a field of the request' });
    const [{ method, path, headers, body }] = upstream.requests as [(typeof upstream.requests)[0]];
    expect([method, path, headers.authorization]).toEqual(['POST', '/chat/completions', 'Bearer pplx-operator']);
    expect(JSON.parse(body)).toEqual({
      model: 'sonar-pro',
      messages: [{ role: 'user', content: request.prompt }],
      web_search_options: { user_location: { country: 'DE' } },
      return_images: true,
      return_related_questions: true,
      media_response: { overrides: { return_videos: true } },
      stream: true,
    });
  });

  it('is the capture service when there is one, which may show the answer of either', async () => {
    await using sonar = await replayUpstream({ ...stream, body: read('sonar.sse') });
    await using capture = await replayUpstream({ ...stream, body: read('workflow.sse') });
    const engine = engineWith({ PERPLEXITY_API_KEY: 'pplx-operator', PERPLEXITY_BASE_URL: sonar.url, PERPLEXITY_CAPTURE_URL: capture.url });
    const { result } = await engine.ask(live);
    expect(result.hotels).toHaveLength(1);
    expect([sonar.requests.length, capture.requests.length]).toEqual([0, 1]);
    expect(JSON.parse(capture.requests[0]!.body)).toEqual({ provider: 'PERPLEXITY', request });
    expect(capture.requests[0]!.headers.authorization).toBeUndefined();
  });

  it('may say how the country went when its answer does not', async () => {
    await using capture = await replayUpstream({ body: read('thread.json') });
    const { quality } = await engineWith({ PERPLEXITY_CAPTURE_URL: capture.url }).ask(live);
    expect(quality.checks).toContainEqual({ id: 'country_applied', status: 'ok', detail: 'Left to the capture service' });
  });

  it('is not told apart by the sandbox, which shows a capture and never gets the key', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('sonar.sse') });
    await using sandbox = await replayUpstream({ ...stream, body: read('workflow.sse') });
    const engine = engineWith({ PERPLEXITY_API_KEY: 'pplx-operator', PERPLEXITY_BASE_URL: upstream.url, PERPLEXITY_CAPTURE_URL: upstream.url });
    await engine.ask({ ...live, route: 'sandbox', sandboxUrl: sandbox.url });
    expect(upstream.requests).toEqual([]);
    expect(sandbox.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([['/capture', undefined]]);
  });

  it('is missing without key and capture: not live, and an attempt is rejected_credentials', async () => {
    expect(engineWith().live).toBe(false);
    expect(engineWith({ PERPLEXITY_CAPTURE_URL: 'http://127.0.0.1:9' }).live).toBe(true);
    await expect(engineWith().ask(live)).rejects.toMatchObject({ reason: 'rejected_credentials' });
  });

  it('that runs out of time after some text gives a degraded answer', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('workflow-broken-off.sse'), then: 'stall' });
    const { result, quality } = await engineWith({ PERPLEXITY_CAPTURE_URL: upstream.url }).ask({ ...live, signal: AbortSignal.timeout(300) });
    expect([result.text.length > 0, quality.status]).toEqual([true, 'degraded']);
  });

  it('keeps a stored page whose marks are links when html is asked for', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('workflow.sse') });
    const pages: string[] = [];
    const storeHtml = async (html: string) => `https://storage.example/${pages.push(html)}`;
    const withHtml = perplexityContract.request.parse({ ...request, include: { html: true } });
    const { result } = await engineWith({ PERPLEXITY_CAPTURE_URL: upstream.url }).ask({ ...live, request: withHtml, storeHtml });
    expect(result.html).toBe('https://storage.example/1');
    expect(pages[0]).toContain('<a href="https://pourlab.example/which-kettle">1</a>');
  });
});
