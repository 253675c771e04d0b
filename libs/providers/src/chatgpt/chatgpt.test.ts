import { describe, expect, it } from '@jest/globals';
import { exerciseProvider, fixturesBeside, stream } from '../exercise-provider.js';
import { replayUpstream } from '../replay-upstream.js';
import { chatgptContract, type ChatgptRequest } from './contract.js';
import { chatgptEngine } from './engine.js';

const { read, fixture } = fixturesBeside(import.meta.url);

exerciseProvider(chatgptContract, chatgptEngine, {
  request: { prompt: 'Which aquarium pump is quiet?', country: 'DE' },
  fixtures: [
    fixture('cited.sse', 'ok', { http: stream }),
    fixture('cited.json', 'ok'),
    fixture('weather.json', 'ok'),
    fixture('chat.json', 'ok', { http: 'stored-only' }),
    fixture('chat.sse', 'ok', { http: 'stored-only' }),
    fixture('web-cited.sse', 'ok', { http: stream }),
    fixture('web-shopping.sse', 'ok', { http: stream }),
    fixture('web-messages.json', 'ok'),
    fixture('web-conversation.json', 'degraded'),
    fixture('web-broken-off.sse', 'degraded', { http: { ...stream, then: 'break' } }),
    fixture('web-cut-short.sse', 'degraded', { http: stream }),
    fixture('web-handed-off.sse', 'invalid_answer', { http: stream }),
    fixture('web-error.sse', 'unavailable', { http: stream }),
    fixture('web-unusual-activity.json', 'blocked'),
    fixture('uncited.json', 'degraded'),
    fixture('broken-off.sse', 'degraded', { http: { ...stream, then: 'break' } }),
    fixture('too-long.sse', 'degraded', { http: stream }),
    fixture('broken-before-text.sse', 'invalid_answer', { http: stream }),
    fixture('empty.json', 'invalid_answer'),
    fixture('rate-limited-in-stream.sse', 'rate_limited', { http: stream }),
    fixture('failed-in-stream.sse', 'unavailable', { http: stream }),
    fixture('bad-key.json', 'rejected_credentials', { http: { status: 401 } }),
    fixture('quota.json', 'quota_exhausted', { http: { status: 429 } }),
    fixture('rate-limited.json', 'rate_limited', { http: { status: 429 } }),
    fixture('overloaded.json', 'unavailable', { http: { status: 503 } }),
    fixture('unknown-model.json', 'rejected_request', { http: { status: 400 } }),
    fixture('wrong-country.json', 'blocked', { http: { status: 403 } }),
    fixture('challenge.html', 'blocked', { http: { status: 403 } }),
    {
      name: 'a connection that broke before any text',
      body: read('broken-before-text.sse'),
      expects: 'unavailable',
      http: { ...stream, then: 'break' },
      storedTells: false,
    },
    { name: 'a gateway without a body', body: '', expects: 'unavailable', http: { status: 502 }, storedTells: false },
    { name: 'an empty body', body: '', expects: 'invalid_answer' },
    { name: 'no answer at all', body: '[1, "two"]', expects: 'invalid_answer' },
  ],
  flags: {
    html: ['html'],
    markdown: ['markdown'],
    rawResponse: ['rawResponse'],
    searchQueries: ['searchQueries'],
    ads: ['ads'],
    // The API gives no products, and then the keys are absent.
    shopping: [],
  },
  credits: [
    [{}, 5],
    [{ include: { html: true, markdown: true } }, 5],
    [{ include: { rawResponse: true } }, 7],
    [{ include: { searchQueries: true } }, 7],
    [{ include: { ads: true } }, 7],
    [{ include: { shopping: true } }, 7],
    [{ include: { rawResponse: true, searchQueries: true, ads: true, shopping: true } }, 7],
  ],
});

const extracted = async (file: string, options: { country?: string } = {}) =>
  chatgptEngine.create(chatgptEngine.settings.parse({})).extract([{ name: file, text: read(file) }], options);

describe('what is extracted from an answer', () => {
  it('is its words, without citation marks; a link that cites nothing keeps its label', async () => {
    expect((await extracted('cited.sse')).result.text).toBe(
      'For a bedroom tank the Airpipe Nano is the quietest: 24 dB at half a metre.\n\nBudget: Bublo 50, about €15\nRuns on USB: none of them.\n\nThe makers keep a table of noise levels.',
    );
  });

  it('is each page once: the cited ones in order, then what else the search found, as footnotes', async () => {
    expect((await extracted('cited.sse')).result.sources).toEqual([
      { position: 1, url: 'https://tankhush.example/reviews/airpipe-nano', label: 'Airpipe Nano: the quiet one | Tank Hush', footnote: false },
      { position: 2, url: 'https://www.pumpwise.example/bublo-50?ref=list', label: 'Bublo 50', footnote: false },
      { position: 3, url: 'https://forum.example/t/humming-pumps', label: 'forum.example', footnote: true },
    ]);
  });

  it('is one pill a citation mark, pointing at its source', async () => {
    const pills = (await extracted('cited.sse')).result.citationPills ?? [];
    expect(pills.map(({ citationPillId, position, domain }) => [citationPillId, position, domain])).toEqual([
      [1, 1, 'tankhush.example'],
      [2, 2, 'pumpwise.example'],
      [3, 1, 'tankhush.example'],
    ]);
  });

  it('has no pills where nothing is cited', async () => {
    expect((await extracted('uncited.json')).result).not.toHaveProperty('citationPills');
  });

  it('is every search query as it was put, fan-out included, in order', async () => {
    expect((await extracted('cited.sse')).result.searchQueries).toEqual([
      'quietest aquarium air pump',
      'leiseste Membranpumpe Aquarium dB',
      'Airpipe Nano "24 dB"',
    ]);
  });

  it('is the same from the stream and from the answer in one piece, raw events apart', async () => {
    const [streamed, whole] = [await extracted('cited.sse'), await extracted('cited.json')];
    expect({ ...streamed.result, rawResponse: [] }).toEqual({ ...whole.result, rawResponse: [] });
  });

  it('holds the text that had arrived when a stream broke off, and says so', async () => {
    const { result, quality } = await extracted('broken-off.sse');
    expect(result.text).toMatch(/none of them\.$/);
    expect(quality.checks).toContainEqual({ id: 'complete_stream', status: 'failed', detail: 'The stream broke off' });
  });

  it.each([
    ['DE', 'ok'],
    ['FR', 'failed'],
    [undefined, 'not_applicable'],
  ])('is held against the country asked for: %s is %s', async (country, status) => {
    const { quality } = await extracted('cited.sse', country === undefined ? {} : { country });
    expect(quality.checks.find(({ id }) => id === 'country_applied')?.status).toBe(status);
  });

  it('is refused in a format of another provider', async () => {
    await expect(chatgptEngine.create(chatgptEngine.settings.parse({})).extract([{ name: 'x', text: '{}' }], { format: 'sonar' })).rejects.toThrow(
      'CHATGPT reads openai-responses, openai-chat, chatgpt-web, not sonar',
    );
  });
});

describe('raw events', () => {
  it('are start, pieces of text and end in the interface’s form, everything else as it came, in order', async () => {
    const { rawResponse = [] } = (await extracted('cited.sse')).result;
    expect(rawResponse[0]).toEqual({ type: 'message_start', message: { id: 'resp_1', role: 'assistant', model: 'gpt-5-2025-08-07' } });
    expect(rawResponse.at(-1)).toEqual({ type: 'message_stop', reason: 'completed' });
    expect(rawResponse[1]).toMatchObject({ type: 'response.in_progress', sequence_number: 1 });
    const pieces = rawResponse.filter(({ type }) => type === 'message_delta') as unknown as { delta: { content: { type: string; text_delta: string }[] } }[];
    expect(pieces[0]!.delta.content[0]!.type).toBe('output_text_delta');
    expect(pieces.map(({ delta }) => delta.content[0]!.text_delta).join('')).toBe((await extracted('cited.sse')).result.markdown);
    expect(rawResponse).toHaveLength(read('cited.sse').match(/^event:/gm)!.length);
  });

  it('are made for an answer in one piece', async () => {
    expect((await extracted('cited.json')).result.rawResponse!.map(({ type }) => type)).toEqual(['message_start', 'message_delta', 'message_stop']);
  });

  it('end without a stop when the stream broke off, and with the reason when it was cut short', async () => {
    expect((await extracted('broken-off.sse')).result.rawResponse!.some(({ type }) => type === 'message_stop')).toBe(false);
    expect((await extracted('too-long.sse')).result.rawResponse!.at(-1)).toEqual({ type: 'message_stop', reason: 'max_output_tokens' });
  });

  it('are made of the chunks of a chat completion', async () => {
    expect((await extracted('chat.sse')).result.rawResponse!.map(({ type }) => type)).toEqual([
      'message_start',
      'message_delta',
      'message_delta',
      'chat.completion.chunk',
      'message_stop',
    ]);
  });
});

describe('the operator’s upstream', () => {
  const request: ChatgptRequest = chatgptContract.request.parse({ prompt: 'Which aquarium pump is quiet?', country: 'DE' });
  const attempt = { request, sandboxUrl: undefined, signal: new AbortController().signal, storeHtml: async () => '' };

  it.each([3, 1021])('gives the same answer when its stream comes %i bytes at a time', async (chunkBytes) => {
    await using upstream = await replayUpstream({ ...stream, body: read('cited.sse'), chunkBytes });
    const engine = chatgptEngine.create(chatgptEngine.settings.parse({ OPENAI_API_KEY: 'sk-operator', OPENAI_BASE_URL: `${upstream.url}/v1/` }));
    const { result, quality, timings } = await engine.ask({ ...attempt, route: 'live' });
    const { text, sources } = (await extracted('cited.sse')).result;
    expect(engine.live).toBe(true);
    expect(result).toMatchObject({ text, sources });
    expect(quality.checks).toContainEqual({ id: 'country_applied', status: 'ok', detail: 'As a field of the request' });
    expect(timings.upstreamMs).toBeGreaterThan(0);
  });

  it('is asked with a forced web search from the country, streamed, under the operator’s key', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('cited.sse') });
    const settings = chatgptEngine.settings.parse({ OPENAI_API_KEY: 'sk-operator', OPENAI_BASE_URL: `${upstream.url}/v1`, OPENAI_MODEL: 'gpt-5-mini' });
    await chatgptEngine.create(settings).ask({ ...attempt, route: 'live' });
    const [{ method, path, headers, body }] = upstream.requests as [(typeof upstream.requests)[0]];
    expect([method, path, headers.authorization]).toEqual(['POST', '/v1/responses', 'Bearer sk-operator']);
    expect(JSON.parse(body)).toEqual({
      model: 'gpt-5-mini',
      input: [{ role: 'user', content: request.prompt }],
      tools: [{ type: 'web_search', user_location: { type: 'approximate', country: 'DE' } }],
      tool_choice: 'required',
      include: ['web_search_call.action.sources'],
      store: false,
      stream: true,
    });
  });

  it('is never touched by the sandbox, nor is its key sent there', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('cited.sse') });
    await using sandbox = await replayUpstream({ ...stream, body: read('cited.sse') });
    const engine = chatgptEngine.create(chatgptEngine.settings.parse({ OPENAI_API_KEY: 'sk-operator', OPENAI_BASE_URL: upstream.url }));
    await engine.ask({ ...attempt, route: 'sandbox', sandboxUrl: sandbox.url });
    expect(upstream.requests).toEqual([]);
    expect(sandbox.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([['/v1/responses', 'Bearer sandbox']]);
  });

  it.each<[string, string[], boolean, boolean, string]>([
    ['only the API', ['shopping', 'ads'], true, false, 'POST /v1/responses'],
    ['only the capture service', [], false, true, 'POST /capture-of-mine'],
    ['both, and nothing that only the web app shows', ['searchQueries', 'markdown'], true, true, 'POST /v1/responses'],
    ['both, and products', ['shopping'], true, true, 'POST /capture-of-mine'],
    ['both, and advertisements', ['ads'], true, true, 'POST /capture-of-mine'],
  ])('with %s: %j are asked of the one that has them', async (_what, flags, hasApi, hasCapture, asked) => {
    await using upstream = await replayUpstream({ ...stream, body: read('cited.sse') });
    const engine = chatgptEngine.create(
      chatgptEngine.settings.parse({
        ...(hasApi && { OPENAI_API_KEY: 'sk-operator', OPENAI_BASE_URL: `${upstream.url}/v1` }),
        ...(hasCapture && { CHATGPT_CAPTURE_URL: `${upstream.url}/capture-of-mine` }),
      }),
    );
    const include = Object.fromEntries(flags.map((flag) => [flag, true]));
    await engine.ask({ ...attempt, request: chatgptContract.request.parse({ ...request, include }), route: 'live' });
    expect(engine.live).toBe(true);
    expect(upstream.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([asked]);
  });

  it('is missing without a key: not live, and an attempt is rejected_credentials', async () => {
    const engine = chatgptEngine.create(chatgptEngine.settings.parse({}));
    expect(engine.live).toBe(false);
    await expect(engine.ask({ ...attempt, route: 'live' })).rejects.toMatchObject({ reason: 'rejected_credentials' });
  });

  it('may say how long to wait', async () => {
    await using upstream = await replayUpstream({ status: 429, headers: { 'retry-after-ms': '1500' }, body: read('rate-limited.json') });
    const engine = chatgptEngine.create(chatgptEngine.settings.parse({}));
    await expect(engine.ask({ ...attempt, route: 'sandbox', sandboxUrl: upstream.url })).rejects.toMatchObject({ reason: 'rate_limited', retryAfterMs: 1500 });
  });

  it('that runs out of time after some text gives a degraded answer', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('broken-off.sse'), then: 'stall' });
    const engine = chatgptEngine.create(chatgptEngine.settings.parse({}));
    const { result, quality } = await engine.ask({ ...attempt, route: 'sandbox', sandboxUrl: upstream.url, signal: AbortSignal.timeout(300) });
    expect([result.text.length > 0, quality.status]).toEqual([true, 'degraded']);
  });

  it('keeps a stored page of the answer when html is asked for', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('cited.sse') });
    const pages: string[] = [];
    const storeHtml = async (html: string) => `https://storage.example/${pages.push(html)}`;
    const withHtml = chatgptContract.request.parse({ ...request, include: { html: true } });
    const { result } = await chatgptEngine
      .create(chatgptEngine.settings.parse({}))
      .ask({ ...attempt, request: withHtml, route: 'sandbox', sandboxUrl: upstream.url, storeHtml });
    expect(result.html).toBe('https://storage.example/1');
    expect(pages[0]).toContain('<strong>Airpipe Nano</strong>');
  });
});
