import { describe, expect, it } from '@jest/globals';
import { exerciseProvider, fixturesBeside, stream } from '../exercise-provider.js';
import { replayUpstream } from '../replay-upstream.js';
import { grokContract, type GrokRequest } from './contract.js';
import { grokEngine } from './engine.js';

const { read, fixture } = fixturesBeside(import.meta.url);
const engineWith = (environment: Record<string, string> = {}) => grokEngine.create(grokEngine.settings.parse(environment));

exerciseProvider(grokContract, grokEngine, {
  request: { prompt: 'Which spray deck keeps dry?', country: 'DE' },
  fixtures: [
    fixture('cited.sse', 'ok', { http: stream }),
    fixture('cited.json', 'ok'),
    fixture('arguments.json', 'ok'),
    fixture('x-search.sse', 'ok', { http: stream }),
    fixture('web.jsonl', 'ok', { http: 'stored-only' }),
    fixture('web-tokens.jsonl', 'degraded', { http: 'stored-only' }),
    fixture('web-broken-off.jsonl', 'degraded', { http: 'stored-only' }),
    fixture('uncited.json', 'degraded'),
    fixture('broken-off.sse', 'degraded', { http: { ...stream, then: 'break' } }),
    fixture('broken-before-text.sse', 'invalid_answer', { http: stream }),
    fixture('empty.json', 'invalid_answer'),
    fixture('failed-in-stream.sse', 'unavailable', { http: stream }),
    // xAI answers a wrong key with 400.
    fixture('bad-key.json', 'rejected_credentials', { http: { status: 400 } }),
    fixture('unknown-model.json', 'rejected_request', { http: { status: 400 } }),
    fixture('quota.json', 'quota_exhausted', { http: { status: 429 } }),
    fixture('rate-limited.json', 'rate_limited', { http: { status: 429 } }),
    fixture('overloaded.json', 'unavailable', { http: { status: 503 } }),
    fixture('web-failed.jsonl', 'rate_limited', { http: 'stored-only' }),
    fixture('web-anti-bot.json', 'blocked', { http: 'stored-only' }),
    { name: 'a challenge', body: '<!DOCTYPE html><title>Just a moment...</title>', expects: 'blocked', http: { status: 403 } },
    { name: 'an empty body', body: '', expects: 'invalid_answer' },
    { name: 'no answer at all', body: '[1, "two"]', expects: 'invalid_answer' },
  ],
  flags: { html: ['html'], markdown: ['markdown'], rawResponse: ['rawResponse'] },
  credits: [
    [{}, 4],
    [{ include: { html: true, markdown: true, rawResponse: true } }, 4],
  ],
});

const extracted = async (file: string, options: { country?: string } = {}) => engineWith().extract([{ name: file, text: read(file) }], options);
const payloadsIn = (file: string) => [...read(file).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));

describe('what is extracted from an answer of the xAI API', () => {
  it('is its words without numbered marks; a link that cites nothing keeps its label', async () => {
    expect((await extracted('cited.sse')).result.text).toBe(
      'Neoprene decks keep the most water out. Nylon ones dry faster, and are half the price.\n\nFor rivers: neoprene\nFor lakes: nylon\n\nSizes are in the size table.',
    );
  });

  it('is each page once, cited ones first, named by its site where the title is only a number', async () => {
    expect((await extracted('cited.sse')).result.sources).toEqual([
      { position: 1, url: 'https://kayakdepot.example/guides/spray-decks', label: 'kayakdepot.example' },
      { position: 2, url: 'https://www.paddlepost.example/spray-decks?page=2', label: 'paddlepost.example' },
      { position: 3, url: 'https://x.com/i/status/1900000000000000001', label: 'x.com' },
      { position: 4, url: 'https://boatforum.example/t/decks', label: 'boatforum.example' },
    ]);
  });

  it('is no pill: the interface has none for Grok', async () => {
    expect((await extracted('cited.sse')).result).not.toHaveProperty('citationPills');
  });

  it('keeps its marks as links in the Markdown', async () => {
    expect((await extracted('cited.sse')).result.markdown).toContain('out.[[1]](https://kayakdepot.example/guides/spray-decks)');
  });

  it.each([
    ['cited.sse', ['neoprene or nylon spray deck', 'spray deck leaks']],
    ['arguments.json', ['what is a spray deck']],
    ['x-search.sse', ['from:kayakdepot filter:media']],
  ])('has the queries of all three generations, those in JSON texts too, and no empty ones: %s', async (file, queries) => {
    expect((await extracted(file)).result.searchQueries).toEqual(queries);
  });

  it('cites pages without a place too, each once', async () => {
    const { sources } = (await extracted('arguments.json')).result;
    expect(sources.map(({ url }) => url)).toEqual(['https://kayakdepot.example/guides/spray-decks', 'https://en.wikipedia.org/wiki/Spray_deck']);
  });

  it('is the same from the stream and from the answer in one piece, raw events apart', async () => {
    const [streamed, whole] = [await extracted('cited.sse'), await extracted('cited.json')];
    expect({ ...streamed.result, rawResponse: [] }).toEqual({ ...whole.result, rawResponse: [] });
  });

  it('holds every event as it came, unknown ones too, in order', async () => {
    expect((await extracted('x-search.sse')).result.rawResponse).toEqual(payloadsIn('x-search.sse'));
    expect((await extracted('cited.json')).result.rawResponse).toEqual([JSON.parse(read('cited.json'))]);
  });

  it('is refused in a format of another provider', async () => {
    await expect(engineWith().extract([{ name: 'x', text: '{}' }], { format: 'sonar' })).rejects.toThrow('GROK reads xai-responses, grok-web, not sonar');
  });
});

describe('what is extracted from grok.com', () => {
  it('is the final message without cards; thoughts and tool calls are not part of it', async () => {
    expect((await extracted('web.jsonl')).result.text).toBe(
      'Neoprene decks keep the most water out. Nylon is lighter, see the size table.\n\nOn X paddlers agree.',
    );
  });

  it('has its citation cards as numbered links in the Markdown', async () => {
    expect((await extracted('web.jsonl')).result.markdown).toBe(
      '**Neoprene decks** keep the most water out.[[1]](https://kayakdepot.example/guides/spray-decks)[[2]](https://www.paddlepost.example/spray-decks?page=2)' +
        ' Nylon is lighter[[1]](https://kayakdepot.example/guides/spray-decks), see the [size table](https://kayakdepot.example/guides/spray-decks).\n\n' +
        '\n\nOn X paddlers agree.[[3]](https://x.com/paddle_ina/status/1900000000000000001)',
    );
  });

  it('is what its search tells about each page, posts on X included', async () => {
    expect((await extracted('web.jsonl')).result.sources).toEqual([
      {
        position: 1,
        url: 'https://kayakdepot.example/guides/spray-decks',
        label: 'Spray decks: the guide',
        description: 'A guide to spray decks',
        preview: 'Neoprene or nylon? We paddled both.',
        searchEngineText: 'Spray decks compared',
        siteName: 'Kayak Depot',
        metadataTitle: 'Spray decks | Kayak Depot',
        creator: 'Ina Paddle',
        image: 'https://kayakdepot.example/deck.jpg',
        favicon: 'https://kayakdepot.example/icon.png',
      },
      { position: 2, url: 'https://www.paddlepost.example/spray-decks?page=2', label: 'Ten decks in the pool', preview: 'Ten decks, one pool.' },
      {
        position: 3,
        url: 'https://x.com/paddle_ina/status/1900000000000000001',
        label: 'x.com',
        preview: 'My neoprene deck held in the surf.',
        creator: 'paddle_ina',
      },
      { position: 4, url: 'https://boatforum.example/t/decks', label: 'Which deck?' },
    ]);
  });

  it('has the queries of every tool once, and the model that answered', async () => {
    const { searchQueries, model } = (await extracted('web.jsonl')).result;
    expect(searchQueries).toEqual(['neoprene or nylon spray deck', 'spray deck surf', 'spray deck sizes']);
    expect(model).toBe('grok-4-auto');
  });

  it('is read in the older wrapping too, from tokens alone; a card without an address is a mark without a source', async () => {
    const { result, quality } = await extracted('web-tokens.jsonl');
    expect([result.text, result.model, result.sources.length, result.searchQueries]).toEqual(['Neoprene it is.', 'grok-3', 1, ['spray deck']]);
    expect(quality.checks.filter(({ status }) => status === 'failed')).toEqual([{ id: 'citations_resolve', status: 'failed', detail: '1 without a source' }]);
  });

  it('is what had arrived when the stream broke off, even in the middle of a card', async () => {
    const { result, quality } = await extracted('web-broken-off.jsonl');
    expect(result.text).toBe('Neoprene decks keep the most water out.');
    expect(quality.checks).toContainEqual({ id: 'complete_stream', status: 'failed', detail: 'The stream broke off' });
  });

  it('is read the same when its lines come as server-sent events', async () => {
    const text = read('web.jsonl').replace(/^/gm, 'data: ').replace(/\n/g, '\r\n\r\n');
    expect((await engineWith().extract([{ name: 'web', text }], {})).result).toEqual((await extracted('web.jsonl')).result);
  });
});

describe('the operator’s upstream', () => {
  const request: GrokRequest = grokContract.request.parse({ prompt: 'Which spray deck keeps dry?', country: 'DE' });
  const attempt = { request, sandboxUrl: undefined, signal: new AbortController().signal, storeHtml: async () => '' };

  it.each(['', '/', '/v1', '/v1/'])(
    'is asked with both searches, the country as an instruction, under the operator’s key: base address with “%s”',
    async (path) => {
      await using upstream = await replayUpstream({ ...stream, body: read('cited.sse'), chunkBytes: 1021 });
      const engine = engineWith({ XAI_API_KEY: 'xai-operator', XAI_BASE_URL: `${upstream.url}${path}`, XAI_MODEL: 'grok-4-fast' });
      const { result, quality } = await engine.ask({ ...attempt, route: 'live' });
      const [{ method, path: asked, headers, body }] = upstream.requests as [(typeof upstream.requests)[0]];
      expect([engine.live, method, asked, headers.authorization]).toEqual([true, 'POST', '/v1/responses', 'Bearer xai-operator']);
      expect(JSON.parse(body)).toEqual({
        model: 'grok-4-fast',
        input: [
          { role: 'system', content: expect.stringContaining('Germany (country code: DE)') },
          { role: 'user', content: request.prompt },
        ],
        tools: [{ type: 'web_search' }, { type: 'x_search' }],
        include: ['web_search_call.action.sources'],
        store: false,
        stream: true,
      });
      expect(result.text).toBe((await extracted('cited.sse')).result.text);
      expect(quality.checks).toContainEqual({ id: 'country_applied', status: 'ok', detail: 'As a system instruction: the API has no field for the country' });
    },
  );

  it('is never touched by the sandbox, nor is its key sent there', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('cited.sse') });
    await using sandbox = await replayUpstream({ ...stream, body: read('cited.sse') });
    const engine = engineWith({ XAI_API_KEY: 'xai-operator', XAI_BASE_URL: upstream.url, GROK_CAPTURE_URL: upstream.url });
    await engine.ask({ ...attempt, route: 'sandbox', sandboxUrl: sandbox.url });
    expect(upstream.requests).toEqual([]);
    expect(sandbox.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([['/v1/responses', 'Bearer sandbox']]);
  });

  it('is missing without a key and a capture service: not live, and an attempt is rejected_credentials', async () => {
    expect(engineWith().live).toBe(false);
    await expect(engineWith().ask({ ...attempt, route: 'live' })).rejects.toMatchObject({ reason: 'rejected_credentials' });
  });

  it('is the capture service where there is no key', async () => {
    await using capture = await replayUpstream({ body: read('web.jsonl') });
    const engine = engineWith({ GROK_CAPTURE_URL: `${capture.url}/grok` });
    const { result, quality } = await engine.ask({ ...attempt, route: 'live' });
    expect([engine.live, capture.requests.map(({ path }) => path)]).toEqual([true, ['/grok']]);
    expect(JSON.parse(capture.requests[0]!.body)).toEqual({ provider: 'GROK', request });
    expect(result.sources[0]).toMatchObject({ preview: 'Neoprene or nylon? We paddled both.' });
    expect(quality.checks).toContainEqual({ id: 'country_applied', status: 'ok', detail: 'Left to the capture service' });
  });

  it('is the API, not the capture service, where there are both', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('cited.sse') });
    await using capture = await replayUpstream({ body: read('web.jsonl') });
    await engineWith({ XAI_API_KEY: 'xai-operator', XAI_BASE_URL: upstream.url, GROK_CAPTURE_URL: capture.url }).ask({ ...attempt, route: 'live' });
    expect([upstream.requests.length, capture.requests.length]).toEqual([1, 0]);
  });

  it('may say how long to wait', async () => {
    await using upstream = await replayUpstream({ status: 429, body: read('rate-limited.json') });
    await expect(engineWith().ask({ ...attempt, route: 'sandbox', sandboxUrl: upstream.url })).rejects.toMatchObject({
      reason: 'rate_limited',
      retryAfterMs: 2000,
    });
  });
});
