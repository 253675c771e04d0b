import { describe, expect, it } from '@jest/globals';
import type { SandboxCall, SandboxReply } from '../sandbox.js';
import { Steer } from '../steering/steering.js';
import { chatgptContract } from './contract.js';
import { chatgptEngine } from './engine.js';
import { chatgptSandbox } from './sandbox.js';

interface Request {
  prompt?: string;
  country?: string | undefined;
  stream?: boolean;
  include?: string[];
  tools?: object[];
}

const callOf = ({
  prompt = 'Which pump is best? #nonce=n1',
  country = 'DE',
  stream = false,
  include = ['web_search_call.action.sources'],
  tools,
}: Request = {}): SandboxCall => ({
  method: 'POST',
  url: '/v1/responses',
  headers: { authorization: 'Bearer sk-sandbox' },
  body: JSON.stringify({
    model: 'gpt-5',
    input: [{ role: 'user', content: prompt }],
    tools: tools ?? [{ type: 'web_search', user_location: { type: 'approximate', country } }],
    include,
    stream,
  }),
  signal: new AbortController().signal,
});

async function answer(call: SandboxCall, steer = new Steer()): Promise<SandboxReply & { text: string }> {
  const note = chatgptSandbox.note(call);
  if (!note) throw new Error('no route');
  const reply = await chatgptSandbox.answer(call, note, steer.next('CHATGPT', note.prompt));
  let text = '';
  for await (const part of reply.body) text += part;
  return { ...reply, text };
}

const whole = async (request: Request = {}) => JSON.parse((await answer(callOf(request))).text);
const eventsIn = (text: string): any[] =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => {
      const [, event, data = ''] = /^event: (.+)\ndata: (.+)$/.exec(frame) ?? [];
      const parsed = JSON.parse(data);
      expect(parsed.type).toBe(event);
      return parsed;
    });
const events = async (request: Request = {}) => eventsIn((await answer(callOf({ ...request, stream: true }))).text);
const messageOf = (response: any) => response.output.at(-1).content[0];
const searchesOf = (response: any): any[] => response.output.filter(({ type }: any) => type === 'web_search_call').map(({ action }: any) => action);

describe('a call', () => {
  it('is noted with its prompt, words included, and the country of its search tool', () => {
    expect(chatgptSandbox.note(callOf())).toEqual({ prompt: 'Which pump is best? #nonce=n1', country: 'DE' });
    expect(chatgptSandbox.note(callOf({ tools: [] }))).toEqual({ prompt: 'Which pump is best? #nonce=n1', country: undefined });
  });

  it('may give its input as a text or in parts', () => {
    const noted = (input: unknown) => chatgptSandbox.note({ ...callOf(), body: JSON.stringify({ model: 'gpt-5', input }) })?.prompt;
    expect(noted('hello')).toBe('hello');
    expect(
      noted([
        { role: 'system', content: 'be brief' },
        { role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
      ]),
    ).toBe('hello');
  });

  it('to another route or with another method is none', () => {
    expect(chatgptSandbox.note({ ...callOf(), url: '/v1/models' })).toBeUndefined();
    expect(chatgptSandbox.note({ ...callOf(), method: 'GET' })).toBeUndefined();
  });

  it('without a key is 401, with a body that is no request 400', async () => {
    expect((await answer({ ...callOf(), headers: {} })).status).toBe(401);
    for (const body of ['', '{', '[]', '{"model":"gpt-5"}', '{"model":"gpt-5","input":[]}'])
      expect([body, (await answer({ ...callOf(), body })).status]).toEqual([body, 400]);
  });
});

describe('the answer', () => {
  it('is the same every time, and another one in another country', async () => {
    expect(await whole()).toEqual(await whole());
    expect(messageOf(await whole({ country: 'BR' })).text).not.toBe(messageOf(await whole()).text);
  });

  it('cites in Markdown what its annotations point at', async () => {
    const { text, annotations } = messageOf(await whole());
    expect(annotations.length).toBeGreaterThan(3);
    for (const { type, start_index, end_index, url, title } of annotations) {
      expect([type, text.slice(start_index, end_index)]).toEqual(['url_citation', `([${new URL(url).hostname.replace('www.', '')}](${url}))`]);
      expect([new URL(url).searchParams.get('utm_source'), typeof title]).toEqual(['openai', 'string']);
    }
    for (const mark of [/^## /m, /^- \*\*/m, /\*More\*/, /[^(]\[[^\]]+\]\(https/]) expect(text).toMatch(mark);
  });

  it('carries the nonce in its text, in a cited address and in a search query', async () => {
    const response = await whole();
    const { text, annotations } = messageOf(response);
    expect(text.replace(/\(https\S+/g, '')).toContain('n1');
    expect(new URL(annotations[0].url).pathname).toContain('n1');
    expect(searchesOf(response)[0].query).toContain('n1');
  });

  it('was searched for several times, with sources that it does not cite and one without an address', async () => {
    const response = await whole();
    const searches = searchesOf(response).filter(({ type }) => type === 'search');
    expect(searches.map(({ query, queries }) => [typeof query, queries?.length])).toEqual([
      ['string', 2],
      ['string', undefined],
    ]);
    const found = searches.flatMap(({ sources }) => sources);
    const cited = new Set(messageOf(response).annotations.map(({ url }: any) => url.replace('&utm_source=openai', '')));
    expect(found.filter(({ url }) => url && !cited.has(url)).length).toBeGreaterThan(0);
    expect(found.filter(({ type }) => type === 'api')).toEqual([{ type: 'api', name: 'oai-weather' }]);
    expect([...cited].filter((url) => !found.some((source) => source.url === url))).toEqual([]);
  });

  it('names its sources only to a caller who asks, and searches only with the tool', async () => {
    expect(searchesOf(await whole({ include: [] })).every((action) => !('sources' in action))).toBe(true);
    const unsearched = await whole({ tools: [] });
    expect([searchesOf(unsearched), messageOf(unsearched).annotations]).toEqual([[], []]);
    expect(messageOf(unsearched).text).not.toContain('utm_source');
  });

  it('names a dated model', async () => expect((await whole()).model).toBe('gpt-5-2025-08-07'));
});

describe('a stream', () => {
  it('ends with the response that is answered without one', async () => {
    expect((await events()).at(-1)).toMatchObject({ type: 'response.completed', response: await whole() });
  });

  it('is numbered, and in the order that was recorded', async () => {
    const all = await events();
    expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_event, index) => index));
    const order = all.map(({ type }) => type.replace('response.', '')).join(' ');
    const call = 'output_item.added web_search_call.in_progress web_search_call.searching web_search_call.completed output_item.done';
    const text = 'content_part.added( output_text.delta| output_text.annotation.added)+ output_text.done content_part.done';
    expect(order).toMatch(
      new RegExp(`^created in_progress output_item.added output_item.done( ${call}){3} output_item.added ${text} output_item.done completed$`),
    );
  });

  it('has in its parts what the whole has', async () => {
    const all = await events();
    const { text, annotations } = messageOf(all.at(-1).response);
    expect(
      all
        .filter(({ type }) => type.endsWith('text.delta'))
        .map(({ delta }) => delta)
        .join(''),
    ).toBe(text);
    expect(all.filter(({ type }) => type.endsWith('annotation.added')).map(({ annotation }) => annotation)).toEqual(annotations);
  });
});

describe('the words of a prompt', () => {
  const faults: [string, number, string | null][] = [
    ['#badkey', 401, 'invalid_api_key'],
    ['#quota', 429, 'insufficient_quota'],
    ['#ratelimit=1', 429, 'rate_limit_exceeded'],
    ['#fail=1', 503, null],
  ];
  it.each(faults)("%s: HTTP %d with the API's own error", async (word, status, code) => {
    for (const stream of [false, true]) {
      const reply = await answer(callOf({ prompt: `pump ${word}`, stream }));
      expect([reply.status, JSON.parse(reply.text).error]).toEqual([
        status,
        expect.objectContaining({ code, message: expect.any(String), type: expect.any(String), param: null }),
      ]);
    }
  });

  it('#fail: 503 and 500 in turn, then the answer', async () => {
    const steer = new Steer();
    const statuses: number[] = [];
    for (let turn = 0; turn < 4; turn++) statuses.push((await answer(callOf({ prompt: 'pump #fail=3' }), steer)).status);
    expect(statuses).toEqual([503, 500, 503, 200]);
  });

  it('#ratelimit: says when to come back', async () => {
    expect((await answer(callOf({ prompt: 'pump #ratelimit=1' }))).headers).toMatchObject({ 'retry-after-ms': '50' });
  });

  it('#blocked: a challenge page', async () => {
    const { status, headers, text } = await answer(callOf({ prompt: 'pump #blocked' }));
    expect([status, headers?.['content-type'], text]).toEqual([403, 'text/html; charset=UTF-8', expect.stringContaining('Just a moment')]);
  });

  it('#empty: a complete response without text', async () => {
    const all = await events({ prompt: 'pump #empty' });
    expect([all.at(-1).response.status, messageOf(all.at(-1).response)]).toEqual([
      'completed',
      { type: 'output_text', annotations: [], logprobs: [], text: '' },
    ]);
    expect(all.some(({ type }) => type.endsWith('text.delta'))).toBe(false);
  });

  it('#truncate: cut off after some of the text', async () => {
    const stream = await answer(callOf({ prompt: 'pump #truncate', stream: true }));
    expect([stream.status, stream.broken, eventsIn(stream.text).at(-1).type]).toEqual([200, true, 'response.output_text.delta']);
    const json = await answer(callOf({ prompt: 'pump #truncate' }));
    expect(json.broken).toBe(true);
    expect(() => JSON.parse(json.text)).toThrow();
  });

  it('#large: as many bytes as asked for, in parts of a size that can wait for their reader', async () => {
    for (const stream of [false, true]) {
      const { length } = (await answer(callOf({ prompt: 'pump #large=2mb', stream }))).text;
      expect(length).toBeGreaterThan(2 * 1024 * 1024);
      expect(length).toBeLessThan(2.2 * 1024 * 1024);
    }
  });
});

describe('the capture service', () => {
  const captureOf = (prompt: string, country = 'DE'): SandboxCall => ({
    ...callOf(),
    url: '/capture',
    headers: {},
    body: JSON.stringify({ provider: 'CHATGPT', request: { prompt, country, include: { shopping: true } } }),
  });
  const extracted = async (prompt: string, country?: string) => {
    const { text } = await answer(captureOf(prompt, country));
    return chatgptEngine.create(chatgptEngine.settings.parse({})).extract([{ name: 'capture', text }], {});
  };

  it('is noted with its prompt and country', () => {
    expect(chatgptSandbox.note(captureOf('pump #nonce=n1'))).toEqual({ prompt: 'pump #nonce=n1', country: 'DE' });
    expect(chatgptSandbox.note({ ...captureOf('pump'), method: 'GET' })).toBeUndefined();
  });

  it('says the same every time, another thing in another country, with the nonce in text, source and query', async () => {
    const [one, same, other] = [await extracted('pump #nonce=n1'), await extracted('pump #nonce=n1'), await extracted('pump #nonce=n1', 'BR')];
    expect(one).toEqual(same);
    expect(one.result.text).not.toBe(other.result.text);
    expect([one.result.text, one.result.sources[0]?.url, one.result.searchQueries?.[0]]).toEqual(Array(3).fill(expect.stringContaining('n1')));
    expect([one.quality.status, one.result.citationPills!.length, one.result.sources.some(({ footnote }) => footnote)]).toEqual(['ok', 6, true]);
  });

  it.each([
    ['#shopping', ['shoppingCards', 'inlineProducts']],
    ['#places', ['map']],
    ['', []],
  ])('%s brings %j, in the interface’s form', async (word, keys) => {
    const { result } = await extracted(`pump ${word}`);
    expect(['shoppingCards', 'inlineProducts', 'map'].filter((key) => key in result)).toEqual(keys);
    expect(chatgptContract.result.parse(result)).toEqual(result);
  });

  it('#ads brings advertisements; without it there are none', async () => {
    expect((await extracted('pump #ads')).result.ads).toMatchObject([{ brand: { name: expect.any(String) }, cards: [{ title: expect.any(String) }] }]);
    expect((await extracted('pump')).result.ads).toEqual([]);
  });

  it('#shopping has product updates among the raw events', async () => {
    expect((await extracted('pump #shopping')).result.rawResponse!.filter(({ type }) => type === 'product_update')).toHaveLength(3);
  });

  it.each([
    ['#badkey', 401],
    ['#quota', 402],
    ['#ratelimit=1', 429],
    ['#fail=1', 503],
    ['#blocked', 403],
  ])('%s: HTTP %d', async (word, status) => {
    expect((await answer(captureOf(`pump ${word}`))).status).toBe(status);
  });

  it('#truncate: cut off after some of the text; #empty: a complete answer without any; #large: as many bytes as asked for', async () => {
    const truncated = await answer(captureOf('pump #truncate'));
    expect(truncated.broken).toBe(true);
    expect((await extracted('pump #truncate')).quality.status).toBe('degraded');
    await expect(extracted('pump #empty')).rejects.toMatchObject({ reason: 'invalid_answer' });
    const { length } = (await answer(captureOf('pump #large=2mb'))).text;
    expect(length).toBeGreaterThan(2 * 1024 * 1024);
    expect(length).toBeLessThan(2.2 * 1024 * 1024);
  });

  it('refuses what is no request', async () => {
    expect((await answer({ ...captureOf('pump'), body: '{"prompt":1}' })).status).toBe(400);
  });
});
