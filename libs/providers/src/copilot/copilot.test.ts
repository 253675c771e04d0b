import { describe, expect, it } from '@jest/globals';
import { exerciseProvider, fixturesBeside, stream } from '../exercise-provider.js';
import { replayUpstream } from '../replay-upstream.js';
import { copilotContract, type CopilotRequest } from './contract.js';
import { copilotEngine } from './engine.js';

const { read, fixture } = fixturesBeside(import.meta.url);

exerciseProvider(copilotContract, copilotEngine, {
  request: { prompt: 'Which aquarium pump is quiet?', country: 'DE' },
  fixtures: [
    fixture('azure-cited.sse', 'ok', { http: stream }),
    fixture('azure-cited.json', 'ok'),
    fixture('web-cited.jsonl', 'ok'),
    fixture('m365-cited.json', 'ok', { http: 'stored-only' }),
    fixture('m365-stream.sse', 'ok', { http: 'stored-only' }),
    fixture('azure-broken-off.sse', 'degraded', { http: { ...stream, then: 'break' } }),
    fixture('web-broken-off.jsonl', 'degraded', { http: { then: 'break' } }),
    fixture('m365-broken-off.sse', 'degraded', { http: 'stored-only' }),
    fixture('azure-broken-before-text.sse', 'invalid_answer', { http: stream }),
    fixture('azure-empty.json', 'invalid_answer'),
    fixture('azure-bad-key.json', 'rejected_credentials', { http: { status: 401 } }),
    fixture('azure-no-deployment.json', 'rejected_request', { http: { status: 404 }, storedTells: false }),
    fixture('azure-rate-limited.json', 'rate_limited', { http: { status: 429 } }),
    fixture('azure-filtered.json', 'rejected_request', { http: { status: 400 } }),
    fixture('challenge.html', 'blocked', { http: { status: 403 } }),
    fixture('web-challenge.jsonl', 'blocked'),
    fixture('web-no-service.jsonl', 'blocked'),
    fixture('web-error.jsonl', 'rate_limited'),
    fixture('web-without-text.jsonl', 'invalid_answer'),
    fixture('m365-unanswered.json', 'invalid_answer', { http: 'stored-only' }),
    fixture('m365-bad-key.json', 'rejected_credentials', { http: 'stored-only' }),
    { name: 'a gateway without a body', body: '', expects: 'unavailable', http: { status: 502 }, storedTells: false },
    { name: 'an empty body', body: '', expects: 'invalid_answer' },
    { name: 'no answer at all', body: '[1, "two"]', expects: 'invalid_answer' },
  ],
  flags: { html: ['html'], markdown: ['markdown'], rawResponse: ['rawResponse'] },
  credits: [
    [{}, 5],
    [{ include: { html: true, markdown: true, rawResponse: true } }, 5],
  ],
});

const extracted = async (file: string, options: { country?: string; format?: string } = {}) =>
  copilotEngine.create(copilotEngine.settings.parse({})).extract([{ name: file, text: read(file) }], options);

describe('an answer by way of Azure', () => {
  it('loses every mark that is like an annotated one; another link to the same page keeps its words', async () => {
    const { text, citationPills, sources } = (await extracted('azure-cited.json')).result;
    expect(text).toBe('1. The Airpipe Nano makes 24 dB.\n2. The Bublo 50 costs €15.\n\nThe test itself is on their site.');
    expect([sources.length, citationPills.length]).toEqual([1, 1]);
  });

  it('names neither queries nor model, and no footnotes', async () => {
    const { result } = await extracted('azure-cited.sse');
    expect(Object.keys(result).sort()).toEqual(['citationPills', 'markdown', 'rawResponse', 'sources', 'text']);
    expect(result.sources[0]).toEqual({ position: 1, url: 'https://tankhush.example/nano', label: 'Nano: the quiet one' });
  });

  it('is its own only raw event when it came in one piece', async () => {
    expect((await extracted('azure-cited.json')).result.rawResponse).toEqual([JSON.parse(read('azure-cited.json'))]);
    expect((await extracted('azure-cited.sse')).result.rawResponse).toHaveLength(6);
  });

  it.each([
    ['DE', 'ok'],
    ['FR', 'failed'],
  ])('is held against the country asked for: %s is %s', async (country, status) => {
    expect((await extracted('azure-cited.json', { country })).quality.checks.find(({ id }) => id === 'country_applied')?.status).toBe(status);
  });

  it('is refused in a format of another provider', async () => {
    await expect(extracted('azure-cited.json', { format: 'sonar' })).rejects.toThrow('COPILOT reads openai-responses, copilot-web, m365-copilot, not sonar');
  });
});

describe('the frames of the web app', () => {
  it('add up to the last message: pieces joined, a replaced part as it is then, no thoughts', async () => {
    const { text } = (await extracted('web-cited.jsonl')).result;
    expect(text).toBe('The Airpipe Nano makes 24 dB.\n\nBublo 50: {"dB": 31}\n\nNone runs on USB.');
  });

  it('cite where the citation came, each page once, with a pill for each citation', async () => {
    const { markdown, sources, citationPills } = (await extracted('web-cited.jsonl')).result;
    expect(markdown).toContain('makes 24 dB. [1](https://tankhush.example/nano)\n\n- Bublo 50: {"dB": 31} [2](https://www.pumpwise.example/bublo-50) [1](');
    expect(sources.map(({ url, label }) => [url, label])).toEqual([
      ['https://tankhush.example/nano', 'Nano: the quiet one'],
      ['https://www.pumpwise.example/bublo-50', 'pumpwise.example'],
    ]);
    expect(citationPills.map(({ position }) => position)).toEqual([1, 2, 1]);
  });

  it('cite by numbers where the text has them', async () => {
    const frames = [
      { event: 'appendText', text: 'It hums[^2^]. It purrs[^1^]. It sings[^7^].' },
      { event: 'citation', url: 'https://a.example', title: 'A' },
      { event: 'citation', url: 'https://b.example', title: 'B' },
      { event: 'done' },
    ];
    const engine = copilotEngine.create(copilotEngine.settings.parse({}));
    const { result, quality } = await engine.extract([{ name: 'x', text: frames.map((frame) => JSON.stringify(frame)).join('') }], {});
    expect(result.text).toBe('It hums. It purrs. It sings.');
    expect(result.citationPills.map(({ url }) => url)).toEqual(['https://b.example', 'https://a.example']);
    expect(quality.checks).toContainEqual({ id: 'citations_resolve', status: 'failed', detail: '1 without a source' });
  });

  it('end with what to ask next, and hold what no reader knows', async () => {
    const { related_queries, rawResponse } = (await extracted('web-cited.jsonl')).result;
    expect(related_queries).toEqual(['Which one is cheap?', 'Which one lasts?']);
    expect(rawResponse).toContainEqual({ event: 'brandNew', messageId: 'a1', payload: [1] });
    expect(rawResponse).toHaveLength(18);
  });
});

describe('an answer of Microsoft 365', () => {
  it('is the last message, without tags and marks', async () => {
    expect((await extracted('m365-cited.json')).result.text).toBe('Ada Lind ordered the Nano, as noted in Pumps.docx.\n\nIt is quiet.');
    expect((await extracted('m365-stream.sse')).result.text).toBe('The Nano.');
  });

  it('cites what its numbers count through; what the tags lead to is no source', async () => {
    const { sources, citationPills } = (await extracted('m365-cited.json')).result;
    expect(sources.map(({ url, label }) => [url, label])).toEqual([
      ['https://mail.example/7', 'Order 7'],
      ['https://files.example/pumps.docx', 'Pumps'],
    ]);
    expect(citationPills.map(({ position }) => position)).toEqual([1, 2, 1]);
  });
});

describe('the operator’s upstream', () => {
  const request: CopilotRequest = copilotContract.request.parse({ prompt: 'Which aquarium pump is quiet?', country: 'DE' });
  const attempt = { request, sandboxUrl: undefined, signal: new AbortController().signal, storeHtml: async () => '' };
  const azure = { AZURE_OPENAI_API_KEY: 'operators-key', AZURE_OPENAI_DEPLOYMENT: 'my-gpt' };

  it.each(['', '/', '/openai', '/openai/v1/'])(
    'is asked at its endpoint%s with a search of Bing from the country, streamed, under the operator’s key',
    async (path) => {
      await using upstream = await replayUpstream({ ...stream, body: read('azure-cited.sse') });
      const engine = copilotEngine.create(copilotEngine.settings.parse({ ...azure, AZURE_OPENAI_ENDPOINT: upstream.url + path }));
      const { quality } = await engine.ask({ ...attempt, route: 'live' });
      const [{ method, path: asked, headers, body }] = upstream.requests as [(typeof upstream.requests)[0]];
      expect([engine.live, method, asked, headers['api-key'], headers.authorization]).toEqual([
        true,
        'POST',
        '/openai/v1/responses',
        'operators-key',
        undefined,
      ]);
      expect(JSON.parse(body)).toEqual({
        model: 'my-gpt',
        input: [{ role: 'user', content: request.prompt }],
        tools: [{ type: 'web_search_preview', user_location: { type: 'approximate', country: 'DE' } }],
        tool_choice: 'required',
        store: false,
        stream: true,
      });
      expect(quality.checks).toContainEqual({ id: 'country_applied', status: 'ok', detail: 'As a field of the request' });
    },
  );

  it('is a capture service only where there is no resource', async () => {
    await using upstream = await replayUpstream({ body: read('web-cited.jsonl'), chunkBytes: 7 });
    const captured = { COPILOT_CAPTURE_URL: `${upstream.url}/mine` };
    const engine = copilotEngine.create(copilotEngine.settings.parse(captured));
    const { result } = await engine.ask({ ...attempt, route: 'live' });
    expect([engine.live, result.related_queries?.length]).toEqual([true, 2]);
    expect(upstream.requests.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([['/mine', { provider: 'COPILOT', request }]]);
    const both = copilotEngine.create(copilotEngine.settings.parse({ ...captured, ...azure, AZURE_OPENAI_ENDPOINT: upstream.url }));
    await both.ask({ ...attempt, route: 'live' });
    expect(upstream.requests.at(-1)?.path).toBe('/openai/v1/responses');
  });

  it('is never touched by the sandbox, nor is its key sent there', async () => {
    await using upstream = await replayUpstream({ ...stream, body: read('azure-cited.sse') });
    await using sandbox = await replayUpstream({ ...stream, body: read('azure-cited.sse') });
    const settings = { ...azure, AZURE_OPENAI_ENDPOINT: upstream.url, COPILOT_CAPTURE_URL: upstream.url };
    const engine = copilotEngine.create(copilotEngine.settings.parse(settings));
    await engine.ask({ ...attempt, route: 'sandbox', sandboxUrl: `${sandbox.url}/` });
    expect(upstream.requests).toEqual([]);
    expect(sandbox.requests.map(({ path, headers }) => [path, headers['api-key']])).toEqual([['/openai/v1/responses', 'sandbox']]);
  });

  it.each([{}, { AZURE_OPENAI_API_KEY: 'key' }, { AZURE_OPENAI_ENDPOINT: 'https://name.openai.azure.com' }])(
    'is missing with %j: not live, and an attempt is rejected_credentials',
    async (settings) => {
      const engine = copilotEngine.create(copilotEngine.settings.parse(settings));
      expect(engine.live).toBe(false);
      await expect(engine.ask({ ...attempt, route: 'live' })).rejects.toMatchObject({ reason: 'rejected_credentials' });
    },
  );

  it('may say how long to wait', async () => {
    await using upstream = await replayUpstream({ status: 429, body: read('azure-rate-limited.json') });
    const engine = copilotEngine.create(copilotEngine.settings.parse({}));
    await expect(engine.ask({ ...attempt, route: 'sandbox', sandboxUrl: upstream.url })).rejects.toMatchObject({ reason: 'rate_limited', retryAfterMs: 6000 });
  });
});
