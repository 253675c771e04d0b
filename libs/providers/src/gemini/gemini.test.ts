import { describe, expect, it, jest } from '@jest/globals';
import { exerciseProvider, fixturesBeside, stream } from '../exercise-provider.js';
import { readPayloads } from '../formats/payloads.js';
import { replayUpstream } from '../replay-upstream.js';
import { geminiContract, type GeminiRequest } from './contract.js';
import { geminiEngine } from './engine.js';
import { extractResult } from './extract/result.js';
import { readGemini } from './extract/gemini.js';
import { locationOf, resolveRedirects } from './upstreams/redirects.js';

const { read, fixture } = fixturesBeside(import.meta.url);
const engineWith = (environment: Record<string, string> = {}) => geminiEngine.create(geminiEngine.settings.parse(environment));
const REDIRECT = 'https://vertexaisearch.cloud.google.com/grounding-api-redirect/';

exerciseProvider(geminiContract, geminiEngine, {
  request: { prompt: 'Welche Kaffeemühle ist leise?', country: 'DE' },
  fixtures: [
    fixture('cited.sse', 'ok', { http: stream }),
    fixture('cited.json', 'ok'),
    fixture('frames.json', 'ok'),
    fixture('places.json', 'ok'),
    fixture('url-context.json', 'ok'),
    fixture('interactions.json', 'ok', { http: 'stored-only' }),
    fixture('interactions-places.json', 'ok', { http: 'stored-only' }),
    fixture('interactions.sse', 'ok', { http: 'stored-only' }),
    fixture('interactions-contents.sse', 'ok', { http: 'stored-only' }),
    fixture('interactions-broken-off.sse', 'degraded', { http: 'stored-only' }),
    fixture('interactions-incomplete.json', 'degraded', { http: 'stored-only' }),
    fixture('searched-only.json', 'degraded'),
    fixture('unsafe-midway.json', 'degraded'),
    fixture('broken-off.sse', 'degraded', { http: { ...stream, then: 'break' } }),
    fixture('broken-before-text.sse', 'invalid_answer', { http: stream }),
    fixture('unsafe.json', 'invalid_answer'),
    fixture('blocked-prompt.json', 'invalid_answer'),
    fixture('calls-only.json', 'invalid_answer'),
    fixture('failed-after-frames.sse', 'unavailable', { http: stream }),
    fixture('interactions-failed.sse', 'unavailable', { http: 'stored-only' }),
    // Google answers a wrong key, and a place it does not serve, with 400.
    fixture('bad-key.json', 'rejected_credentials', { http: { status: 400 } }),
    fixture('location.json', 'blocked', { http: { status: 400 } }),
    fixture('unknown-model.json', 'rejected_request', { http: { status: 404 } }),
    fixture('rate-limited.json', 'rate_limited', { http: { status: 429 } }),
    fixture('quota.json', 'quota_exhausted', { http: { status: 429 } }),
    fixture('overloaded.json', 'unavailable', { http: { status: 503 } }),
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

describe('what is extracted from an answer of the Gemini API', () => {
  it('is its words, without thoughts; a link is no mark and keeps its label', async () => {
    expect((await extracted('cited.sse')).result.text).toBe(
      '☕ Für Filterkaffee ist Kaffeemühle Nord die leiseste.\n\n日本の手挽きミルも静かです。\nPreis: ab 89 €\n\nMehr bei Mühlenkunde.',
    );
    expect((await extracted('url-context.json')).result.text).toBe('Mahlwerk explains burr sizes.');
  });

  it('is each page that has an address: what it vouches for, and how sure Google is; redirects are kept', async () => {
    expect((await extracted('cited.sse')).result.sources).toEqual([
      {
        position: 1,
        url: `${REDIRECT}AUZIYQa1`,
        label: 'mahlwerk.example',
        description: '☕ Für Filterkaffee ist Kaffeemühle Nord die leiseste. 日本の手挽きミルも静かです。 Preis: ab 89 €',
        confidence_level: 97,
      },
      { position: 2, url: `${REDIRECT}AUZIYQb2`, label: 'shizuka.example', description: '日本の手挽きミルも静かです。', confidence_level: 80 },
      { position: 3, url: `${REDIRECT}AUZIYQc3`, label: 'preise.example' },
      { position: 4, url: 'https://www.google.com/search?q=time+in+Köln, DE', label: 'google.com' },
    ]);
  });

  it('is a pill for each page that vouches for a stretch, in the order of the text, with that stretch by its place in bytes', async () => {
    expect((await extracted('cited.sse')).result.citationPills.map(({ position, description }) => [position, description])).toEqual([
      [1, '☕ Für Filterkaffee ist Kaffeemühle Nord die leiseste.'],
      [2, '日本の手挽きミルも静かです。'],
      [1, '日本の手挽きミルも静かです。'],
      [1, 'Preis: ab 89 €'],
    ]);
  });

  it('has the queries of its search, and no empty one', async () => {
    expect((await extracted('cited.sse')).result.searchQueries).toEqual(['leise Kaffeemühle', '静かな コーヒーミル']);
    expect((await extracted('broken-off.sse')).result.searchQueries).toEqual(['leise Kaffeemühle']);
  });

  it.each(['cited.json', 'frames.json'])('is the same from the stream and from %s, raw events apart', async (file) => {
    const [streamed, whole] = [await extracted('cited.sse'), await extracted(file)];
    expect({ ...streamed.result, rawResponse: [] }).toEqual({ ...whole.result, rawResponse: [] });
  });

  it('holds every frame as it came, in order', async () => {
    expect((await extracted('cited.sse')).result.rawResponse).toEqual(JSON.parse(read('frames.json')));
  });

  it('names the places of Google Maps, which are sources too', async () => {
    const { places, sources } = (await extracted('places.json')).result;
    expect(places).toEqual([
      { name: 'Bohne Süd', map_url: 'https://maps.google.com/?cid=101' },
      { name: 'Rösterei Ost', map_url: 'https://maps.google.com/?cid=102' },
    ]);
    expect(sources.map(({ label, confidence_level }) => [label, confidence_level])).toEqual([
      ['Bohne Süd', 90],
      ['Rösterei Ost', 1],
    ]);
  });

  it.each([
    ['unsafe-midway.json', 'complete_stream', 'SAFETY'],
    ['searched-only.json', 'sources_present', 'The answer names no page'],
    ['broken-off.sse', 'complete_stream', 'The stream broke off'],
    ['interactions-incomplete.json', 'complete_stream', 'incomplete'],
  ])('says what is wrong with it: %s', async (file, id, detail) => {
    expect((await extracted(file)).quality.checks).toContainEqual({ id, status: 'failed', detail });
  });

  it.each([
    ['blocked-prompt.json', 'the prompt was blocked, PROHIBITED_CONTENT: The prompt was refused'],
    ['unsafe.json', 'SAFETY'],
  ])('says why there is no text: %s', async (file, reason) => {
    await expect(extracted(file)).rejects.toThrow(reason);
  });

  it('is refused in a format of another provider', async () => {
    await expect(engineWith().extract([{ name: 'x', text: '{}' }], { format: 'sonar' })).rejects.toThrow('GEMINI reads gemini, gemini-interactions, not sonar');
  });
});

describe('what is extracted from an answer of the Interactions API', () => {
  it('is its output alone, with citations by their places in bytes', async () => {
    const { result } = await extracted('interactions.json');
    expect(result.text).toBe('Die Nord ist leise: 41 dB – gemessen. Die 手挽き kostet 89 €.');
    expect(result.sources).toEqual([
      {
        position: 1,
        url: `${REDIRECT}AUZIYQa1`,
        label: 'mahlwerk.example',
        description: 'Die Nord ist leise: 41 dB – gemessen. Die 手挽き kostet 89 €.',
      },
      { position: 2, url: `${REDIRECT}AUZIYQb2`, label: 'shizuka.example', description: 'Die 手挽き kostet 89 €.' },
    ]);
    expect(result.citationPills.map(({ position }) => position)).toEqual([1, 2, 1]);
    expect([result.searchQueries, result.model]).toEqual([['leise Kaffeemühle'], 'gemini-3-flash-preview']);
  });

  it.each(['interactions.sse', 'interactions-contents.sse'])('is the same from its stream, raw events apart: %s', async (file) => {
    const [streamed, whole] = [await extracted(file), await extracted('interactions.json')];
    expect({ ...streamed.result, rawResponse: [] }).toEqual({ ...whole.result, rawResponse: [] });
  });

  it('names places that it cites', async () => {
    expect((await extracted('interactions-places.json')).result.places).toEqual([{ name: 'Bohne Süd', map_url: 'https://maps.google.com/?cid=101' }]);
  });
});

describe('redirects', () => {
  const answer = readGemini(readPayloads([read('cited.sse')]));
  const include = { html: false, markdown: false, rawResponse: false };

  it('are replaced by what they lead to, each asked for once; what does not tell stays', async () => {
    const asked: string[] = [];
    const lookUp = async (url: string) => (asked.push(url) && url.endsWith('b2') ? undefined : 'https://mahlwerk.example/test?utm_source=google');
    const { sources, citationPills } = extractResult(await resolveRedirects(await answer, new AbortController().signal, lookUp), include, []);
    expect(asked).toEqual([`${REDIRECT}AUZIYQa1`, `${REDIRECT}AUZIYQb2`, `${REDIRECT}AUZIYQc3`]);
    expect(sources.map(({ url }) => url)).toEqual(['https://mahlwerk.example/test', `${REDIRECT}AUZIYQb2`, 'https://www.google.com/search?q=time+in+Köln, DE']);
    expect(citationPills[0]).toMatchObject({ url: 'https://mahlwerk.example/test', domain: 'mahlwerk.example', position: 1 });
  });

  it.each([
    [302, { location: 'https://mahlwerk.example/test' }, 'https://mahlwerk.example/test'],
    [302, { location: 'file:///etc/passwd' }, undefined],
    [404, {}, undefined],
  ])('are looked up without being followed: %i %j', async (status, headers, expected) => {
    await using upstream = await replayUpstream({ status, headers, body: '' });
    expect(await locationOf(`${upstream.url}/x`, AbortSignal.timeout(5000))).toBe(expected);
    expect(upstream.requests.map(({ method }) => method)).toEqual(['HEAD']);
  });

  it('that nobody answers stay as they are when the time is up', async () => {
    await using upstream = await replayUpstream({ body: '', then: 'stall' });
    expect(await locationOf(upstream.url, AbortSignal.timeout(50))).toBeUndefined();
  });
});

describe('the operator’s upstream', () => {
  const request: GeminiRequest = geminiContract.request.parse({ prompt: 'Welche Kaffeemühle ist leise?', country: 'DE' });
  const attempt = { request, sandboxUrl: undefined, signal: new AbortController().signal, storeHtml: async () => '' };

  it.each([3, 1021])(
    'is asked with Google Search, the country as an instruction, under the operator’s key; its stream may come %i bytes at a time',
    async (chunkBytes) => {
      await using upstream = await replayUpstream({ ...stream, body: read('cited.sse'), chunkBytes });
      const engine = engineWith({ GEMINI_API_KEY: 'AIza-operator', GEMINI_BASE_URL: `${upstream.url}/v1beta/`, GEMINI_MODEL: 'gemini-3-pro' });
      const { result, quality } = await engine.ask({ ...attempt, route: 'live' });
      const [{ method, path, headers, body }] = upstream.requests as [(typeof upstream.requests)[0]];
      expect([engine.live, method, path]).toEqual([true, 'POST', '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse']);
      expect([headers['x-goog-api-key'], headers.authorization]).toEqual(['AIza-operator', undefined]);
      expect(JSON.parse(body)).toEqual({
        system_instruction: { parts: [{ text: expect.stringContaining('Germany (country code: DE)') }] },
        contents: [{ role: 'user', parts: [{ text: request.prompt }] }],
        tools: [{ google_search: {} }],
      });
      expect(result.text).toBe((await extracted('cited.sse')).result.text);
      expect(quality.checks).toContainEqual({ id: 'country_applied', status: 'ok', detail: 'As a system instruction: the API has no field for the country' });
    },
  );

  it('is Vertex AI by its address, with a token in place of the key', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('cited.sse') });
    const GEMINI_BASE_URL = `${upstream.url}/v1/projects/p/locations/europe-west1/publishers/google`;
    const engine = engineWith({ GEMINI_VERTEX_TOKEN: 'ya29.token', GEMINI_BASE_URL });
    await engine.ask({ ...attempt, route: 'live' });
    const [{ path, headers }] = upstream.requests as [(typeof upstream.requests)[0]];
    expect([engine.live, path]).toEqual([
      true,
      '/v1/projects/p/locations/europe-west1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    ]);
    expect([headers.authorization, headers['x-goog-api-key']]).toEqual(['Bearer ya29.token', undefined]);
  });

  it.each([
    ['true', 'https://mahlwerk.example/test'],
    ['false', `${REDIRECT}AUZIYQa1`],
  ])('tells where its redirects lead only when that is configured: %s', async (GEMINI_RESOLVE_REDIRECTS, url) => {
    await using upstream = await replayUpstream({ ...stream, body: read('cited.sse') });
    const { fetch } = globalThis;
    const lookedUp = new Response(null, { status: 302, headers: { location: 'https://mahlwerk.example/test' } });
    using _fetch = jest.spyOn(globalThis, 'fetch').mockImplementation(async (address, init) => (init?.method === 'HEAD' ? lookedUp : fetch(address, init)));
    const engine = engineWith({ GEMINI_API_KEY: 'AIza-operator', GEMINI_BASE_URL: upstream.url, GEMINI_RESOLVE_REDIRECTS });
    const { result } = await engine.ask({ ...attempt, route: 'live' });
    expect(result.sources[0]!.url).toBe(url);
  });

  it('is never touched by the sandbox, nor is its key sent there, nor are redirects looked up', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('cited.sse') });
    await using sandbox = await replayUpstream({ ...stream, body: read('cited.sse') });
    const engine = engineWith({
      GEMINI_API_KEY: 'AIza-operator',
      GEMINI_VERTEX_TOKEN: 'ya29',
      GEMINI_BASE_URL: upstream.url,
      GEMINI_RESOLVE_REDIRECTS: 'true',
    });
    const { result } = await engine.ask({ ...attempt, route: 'sandbox', sandboxUrl: sandbox.url });
    expect(upstream.requests).toEqual([]);
    expect(sandbox.requests.map(({ path, headers }) => [path, headers['x-goog-api-key'], headers.authorization])).toEqual([
      ['/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse', 'sandbox', undefined],
    ]);
    expect(result.sources[0]!.url).toBe(`${REDIRECT}AUZIYQa1`);
  });

  it('is missing without a key and a capture service: not live, and an attempt is rejected_credentials', async () => {
    expect(engineWith().live).toBe(false);
    await expect(engineWith().ask({ ...attempt, route: 'live' })).rejects.toMatchObject({ reason: 'rejected_credentials' });
  });

  it.each(['cited.sse', 'interactions.sse'])('is the capture service where there is no key, whatever form it answers in: %s', async (file) => {
    await using capture = await replayUpstream({ body: read(file) });
    const engine = engineWith({ GEMINI_CAPTURE_URL: capture.url });
    const { result } = await engine.ask({ ...attempt, route: 'live' });
    expect([engine.live, JSON.parse(capture.requests[0]!.body)]).toEqual([true, { provider: 'GEMINI', request }]);
    expect(result.text).toBe((await extracted(file)).result.text);
  });

  it('says how long to wait, in a RetryInfo', async () => {
    await using upstream = await replayUpstream({ status: 429, body: read('rate-limited.json') });
    await expect(engineWith().ask({ ...attempt, route: 'sandbox', sandboxUrl: upstream.url })).rejects.toMatchObject({
      reason: 'rate_limited',
      retryAfterMs: 34_400,
    });
  });
});
