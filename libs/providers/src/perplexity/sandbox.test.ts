import { describe, expect, it } from '@jest/globals';
import { replayUpstream } from '../replay-upstream.js';
import type { SandboxCall, SandboxReply } from '../sandbox.js';
import { Steer } from '../steering/steering.js';
import { perplexityContract } from './contract.js';
import { perplexityEngine } from './engine.js';
import { perplexitySandbox } from './sandbox.js';

const PROMPT = 'Which kettle pours best? #nonce=n1';
const signal = new AbortController().signal;

const captureOf = (prompt = PROMPT, country = 'DE'): SandboxCall => ({
  method: 'POST',
  url: '/capture',
  headers: {},
  body: JSON.stringify({ provider: 'PERPLEXITY', request: { prompt, country, include: {} } }),
  signal,
});

const sonarOf = (prompt = PROMPT, options: object = {}): SandboxCall => ({
  method: 'POST',
  url: '/chat/completions',
  headers: { authorization: 'Bearer pplx-sandbox' },
  body: JSON.stringify({
    model: 'sonar',
    messages: [{ role: 'user', content: prompt }],
    web_search_options: { user_location: { country: 'DE' } },
    return_images: true,
    return_related_questions: true,
    media_response: { overrides: { return_videos: true } },
    ...options,
  }),
  signal,
});

async function answer(call: SandboxCall, steer = new Steer()): Promise<SandboxReply & { text: string }> {
  const note = perplexitySandbox.note(call);
  if (!note) throw new Error('no route');
  const reply = await perplexitySandbox.answer(call, note, steer.next('PERPLEXITY', note.prompt));
  let text = '';
  for await (const part of reply.body) text += part;
  return { ...reply, text };
}

/** What the engine makes of a call's answer, as it comes over HTTP. */
async function engineOn(call: SandboxCall) {
  const { status, headers = {}, text, broken } = await answer(call);
  await using upstream = await replayUpstream({ status, headers, body: text, then: broken ? 'break' : 'end' });
  const { prompt = '', country } = perplexitySandbox.note(call) ?? {};
  const request = perplexityContract.request.parse({ prompt, country, include: { markdown: true, rawResponse: true } });
  const attempt = { request, route: 'sandbox' as const, sandboxUrl: upstream.url, signal, storeHtml: async () => '' };
  return await perplexityEngine.create(perplexityEngine.settings.parse({})).ask(attempt);
}

const calls: [api: string, of: (prompt?: string) => SandboxCall][] = [
  ['the web app', (prompt) => captureOf(prompt)],
  ['the Sonar API, streamed', (prompt) => sonarOf(prompt, { stream: true })],
  ['the Sonar API in one piece', (prompt) => sonarOf(prompt)],
];

describe('a call', () => {
  it('is noted with its prompt, words included, and its country', () => {
    expect(perplexitySandbox.note(captureOf())).toEqual({ prompt: PROMPT, country: 'DE' });
    expect(perplexitySandbox.note(sonarOf())).toEqual({ prompt: PROMPT, country: 'DE' });
    expect(perplexitySandbox.note(sonarOf(PROMPT, { web_search_options: undefined }))).toEqual({ prompt: PROMPT, country: undefined });
  });

  it.each([
    ['live', { PERPLEXITY_API_KEY: 'pplx-operator' }],
    ['sandbox', {}],
  ] as const)('of the engine by the %s route is understood as it is sent', async (route, settings) => {
    await using upstream = await replayUpstream({ status: 503, body: '' });
    const request = perplexityContract.request.parse({ prompt: PROMPT, country: 'DE' });
    const engine = perplexityEngine.create(perplexityEngine.settings.parse({ ...settings, PERPLEXITY_BASE_URL: upstream.url }));
    await expect(engine.ask({ request, route, sandboxUrl: upstream.url, signal, storeHtml: async () => '' })).rejects.toThrow();
    const [{ method, path, headers, body }] = upstream.requests as [(typeof upstream.requests)[0]];
    const call = { method, url: path, headers, body, signal };
    expect([perplexitySandbox.note(call), (await answer(call)).status]).toEqual([{ prompt: PROMPT, country: 'DE' }, 200]);
  });

  it('to another route or with another method is none', () => {
    for (const change of [{ url: '/models' }, { method: 'GET' }]) expect(perplexitySandbox.note({ ...captureOf(), ...change })).toBeUndefined();
  });

  it('without a key is 401 at the API, with a body that is no request 400', async () => {
    expect((await answer({ ...sonarOf(), headers: {} })).status).toBe(401);
    for (const call of [sonarOf(), captureOf()])
      for (const body of ['', '{', '[]', '{"model":"sonar"}']) expect((await answer({ ...call, body })).status).toBe(400);
  });
});

describe.each(calls)('%s', (_api, of) => {
  it('answers the same every time, and something else in another country', async () => {
    expect((await answer(of())).text).toBe((await answer(of())).text);
    expect((await answer(captureOf(PROMPT, 'BR'))).text).not.toBe((await answer(captureOf())).text);
  });

  it('gives a sound result: marks that resolve, suggestions that are no queries, the nonce in text and sources', async () => {
    const { result, quality } = await engineOn(of());
    expect(quality.checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(result.citationPills.length).toBeGreaterThan(4);
    expect(result.sources.length).toBeGreaterThan(5);
    expect([result.text.includes('n1'), result.sources.some(({ url }) => url.includes('n1'))]).toEqual([true, true]);
    expect(result.related_queries).toHaveLength(3);
    expect(result.search_model_queries.filter(({ query }) => result.related_queries.includes(query))).toEqual([]);
    expect(perplexityContract.result.parse(result)).toEqual(result);
  });

  it('shows pictures and films when the words say so, and not otherwise', async () => {
    const { images, videos } = (await engineOn(of(`${PROMPT} #images #videos`))).result;
    expect([images.length, videos.length]).toEqual([3, 3]);
    const plain = (await engineOn(of())).result;
    expect([plain.images, plain.videos]).toEqual([[], []]);
  });

  it.each([
    ['#badkey', 'rejected_credentials'],
    ['#quota', 'quota_exhausted'],
    ['#fail', 'unavailable'],
    ['#blocked', 'blocked'],
    ['#ratelimit=1', 'rate_limited'],
    ['#empty', 'invalid_answer'],
  ])('%s fails as %s', async (word, reason) => {
    await expect(engineOn(of(`${PROMPT} ${word}`))).rejects.toMatchObject({ name: 'UpstreamFailure', reason });
  });

  it('#fail=2 fails twice, differently, and then answers', async () => {
    const steer = new Steer();
    const statuses = [];
    for (let attempt = 0; attempt < 3; attempt++) statuses.push((await answer(of(`${PROMPT} #fail=2`), steer)).status);
    expect(statuses).toEqual([503, 500, 200]);
  });

  it('#large is as many bytes as asked for', async () => {
    const { length } = (await answer(of(`${PROMPT} #large=2mb`))).text;
    expect(length).toBeGreaterThan(2 * 1024 * 1024);
    expect(length).toBeLessThan(2.5 * 1024 * 1024);
  });
});

describe('the web app', () => {
  it('tells its queries, with the nonce, and the country it was asked from', async () => {
    const { result, quality } = await engineOn(captureOf());
    expect(result.search_model_queries.map(({ engine, limit }) => [engine, limit])).toEqual(Array.from({ length: 3 }, () => ['web', 8]));
    expect(result.search_model_queries[0]!.query).toContain('n1');
    expect(quality.checks).toContainEqual({ id: 'country_applied', status: 'ok', detail: 'Left to the capture service' });
  });

  it('shows products, hotels and places, each for its word', async () => {
    const { shopping_cards: cards, hotels, places } = (await engineOn(captureOf(`${PROMPT} #shopping #hotels #places`))).result;
    expect(cards?.[0]?.products.map(({ position, price }) => [position, /^\$\d+\.\d\d$/.test(price ?? '')])).toEqual(
      [1, 2, 3].map((position) => [position, true]),
    );
    expect([hotels?.length, places?.length]).toEqual([3, 3]);
    expect(hotels?.[0]).toMatchObject({ price_level: expect.stringMatching(/^\$+$/), num_reviews: expect.any(Number) });
    expect(Object.keys((await engineOn(captureOf())).result)).not.toContain('hotels');
  });

  it('keeps a large answer whole in its raw events', async () => {
    const { rawResponse } = (await engineOn(captureOf(`${PROMPT} #large=1mb`))).result;
    expect(JSON.stringify(rawResponse).length).toBeGreaterThan(1024 * 1024);
  });

  it('#truncate breaks off after some text, which makes a degraded answer', async () => {
    const { result, quality } = await engineOn(captureOf(`${PROMPT} #truncate`));
    expect([result.text.length > 50, result.citationPills.length > 0, quality.status]).toEqual([true, true, 'degraded']);
    expect(quality.checks).toContainEqual({ id: 'complete_stream', status: 'failed', detail: 'The stream broke off' });
  });
});

it('the Sonar API repeats everything in each chunk and ends without [DONE]', async () => {
  const { text } = await answer(sonarOf(PROMPT, { stream: true }));
  const chunks = text
    .split('\r\n\r\n')
    .filter(Boolean)
    .map((frame) => JSON.parse(frame.replace(/^data: /, '')));
  expect(chunks.at(-1).object).toBe('chat.completion.done');
  expect(chunks.every(({ citations, search_results: results }) => citations.length === 7 && results.length === 7)).toBe(true);
  expect(chunks.at(-1).choices[0].message.content).toBe(chunks.map(({ choices }) => choices[0].delta.content).join(''));
});
