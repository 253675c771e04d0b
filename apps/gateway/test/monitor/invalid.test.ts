import { beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { type Tenant, useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway'] });
// Without credits, nothing that is valid gets further than 403.
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant({ credits: 0 })));

const AI = { prompt: 'hello', country: 'US' };
const SEARCH = { query: 'hello' };
const post = (path: string, body: unknown) => tenant.post(`/v1/monitor/${path}`, body);

type Problems = Record<string, string>;
const cases: [path: string, body: object, problems: Problems][] = [
  // R4: the text.
  ['chatgpt', { country: 'US' }, { prompt: 'Prompt is required' }],
  ['chatgpt', { ...AI, prompt: '' }, { prompt: 'Prompt cannot be empty' }],
  ['chatgpt', { ...AI, prompt: ' \n\t ' }, { prompt: 'Prompt cannot be empty' }],
  ['chatgpt', { ...AI, prompt: 'x'.repeat(10_001) }, { prompt: 'Prompt is too long' }],
  ['chatgpt', { ...AI, prompt: '🫖'.repeat(10_001) }, { prompt: 'Prompt is too long' }],
  ...[7, null, ['x'], {}, true].map((prompt): [string, object, Problems] => ['chatgpt', { ...AI, prompt }, { prompt: 'Expected string' }]),
  ['chatgpt', { ...AI, prompt: 'a\u0000b' }, { prompt: 'Prompt contains invalid characters' }],
  ['chatgpt', { ...AI, prompt: 'a\ud800b' }, { prompt: 'Prompt contains invalid characters' }],
  ['google', {}, { query: 'Query is required' }],
  ['google', { query: '  ' }, { query: 'Query cannot be empty' }],
  ['google/news', { query: 'x'.repeat(10_001) }, { query: 'Query is too long' }],
  ['google/news', { query: '\udc00' }, { query: 'Query contains invalid characters' }],
  ['google', { ...SEARCH, location: 'a\u0000' }, { location: 'location contains invalid characters' }],
  // R2 and R3: the country.
  ['chatgpt', { prompt: 'hello' }, { country: 'Country is required' }],
  ['grok', { ...AI, country: 7 }, { country: 'Expected string' }],
  ...['us', 'XX', '', 'USA', ' US', 'UK', 'EU', 'KP'].map((country): [string, object, Problems] => [
    'perplexity',
    { ...AI, country },
    { country: 'Invalid country code' },
  ]),
  ['google', { ...SEARCH, country: 'us' }, { country: 'Invalid country code' }],
  // R5: the flags.
  ...['true', 1, null, 0, [], {}].map((value): [string, object, Problems] => [
    'chatgpt',
    { ...AI, include: { markdown: value } },
    { 'include.markdown': 'Expected boolean' },
  ]),
  ['chatgpt', { ...AI, include: { html: 'no', searchQueries: 1 } }, { 'include.html': 'Expected boolean', 'include.searchQueries': 'Expected boolean' }],
  ['chatgpt', { ...AI, include: [] }, { include: 'Expected object' }],
  ['gemini', { ...AI, include: { rawResponse: 'yes' } }, { 'include.rawResponse': 'Expected boolean' }],
  ['google', { ...SEARCH, include: { aioverview: 'yes' } }, { 'include.aioverview': 'Expected object or boolean' }],
  ['google', { ...SEARCH, include: { aioverview: { markdown: 'yes' } } }, { 'include.aioverview.markdown': 'Expected boolean' }],
  // R6 and R8: the rest.
  ['google', { ...SEARCH, location: 'Paris,France', uule: 'w+CAIQ' }, { uule: 'Cannot set both location and uule; provide only one' }],
  ['aimode', { ...AI, location: 'Paris,France', uule: 'w+CAIQ' }, { uule: 'Cannot set both location and uule; provide only one' }],
  ...[0, 11, 1.5, '3', null].map((pages): [string, object, Problems] => ['google', { ...SEARCH, pages }, { pages: 'pages must be an integer from 1 to 10' }]),
  ['google/news', { ...SEARCH, device: 'tablet' }, { device: 'device must be desktop or mobile' }],
  // S8: all at once.
  [
    'chatgpt',
    { prompt: '', country: 'xx', include: { html: 1 } },
    { prompt: 'Prompt cannot be empty', country: 'Invalid country code', 'include.html': 'Expected boolean' },
  ],
  [
    'google',
    { pages: 0, location: 'a', uule: 'b' },
    { query: 'Query is required', pages: 'pages must be an integer from 1 to 10', uule: 'Cannot set both location and uule; provide only one' },
  ],
];

test.each(cases.map(([path, body, problems]) => [path, JSON.stringify(body).slice(0, 90), body, problems] as const))(
  '%s refuses %s',
  async (path, _short, body, problems) => {
    const reply = await post(path, body);
    expect(reply.status).toBe(400);
    expect({ ...reply.body, details: undefined }).toEqual({ success: false, error: 'Request validation failed', details: undefined });
    expect(Object.fromEntries(reply.body.details.map(({ field, message }: { field: string; message: string }) => [field, message]))).toEqual(problems);
    expect(reply.body.details).toHaveLength(Object.keys(problems).length);
  },
);

const valid: [path: string, body: object][] = [
  ...['chatgpt', 'perplexity', 'grok', 'gemini', 'copilot', 'aimode'].map((path): [string, object] => [path, AI]),
  ['google', SEARCH],
  ['google/news', SEARCH],
  ['chatgpt', { prompt: `  ${'🫖'.repeat(10_000)}  `, country: 'US' }],
  ['chatgpt', { ...AI, include: {} }],
  ...[true, false, {}, { markdown: true }].map((aioverview): [string, object] => ['google', { ...SEARCH, include: { aioverview } }]),
  ['google', { ...SEARCH, pages: 10, device: 'mobile', location: 'Paris,Paris,France', country: 'FR' }],
  ['aimode', { ...AI, uule: 'w+CAIQ', device: 'mobile', include: { html: true, markdown: true } }],
  ['copilot', { ...AI, include: { html: true, markdown: true, rawResponse: true } }],
];

test.each(valid.map(([path, body]) => [path, JSON.stringify(body).slice(0, 90), body] as const))('%s takes %s', async (path, _short, body) => {
  expect((await post(path, body)).body).toMatchObject({ error: { code: 'INSUFFICIENT_CREDITS' } });
});

describe('a body', () => {
  const send = (body: string, contentType: string | undefined) =>
    tenant.send('POST', '/v1/monitor/chatgpt', { body, headers: contentType === undefined ? {} : { 'content-type': contentType } });

  test.each([
    ['{"prompt": "hello"', 'The body is not valid JSON'],
    ['', undefined],
    ['NaN', 'The body is not valid JSON'],
    ['[]', undefined],
    ['"text"', undefined],
    ['null', undefined],
  ])('%j is no JSON object: 400 in the field body', async (body, message) => {
    const reply = await send(body, 'application/json');
    expect(reply).toMatchObject({ status: 400, body: { success: false, error: 'Request validation failed', details: [{ field: 'body' }] } });
    if (message) expect(reply.body.details[0].message).toBe(message);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml'])(
    'of %s is 415, however large',
    async (contentType) => {
      for (const body of [JSON.stringify(AI), 'x'.repeat(2_000_000)]) {
        expect(await send(body, contentType)).toMatchObject({ status: 415, body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } } });
      }
    },
  );

  test('may say its charset', async () => {
    expect((await send(JSON.stringify(AI), 'application/json; charset=utf-8')).status).toBe(403);
  });

  test('of which most is still on its way is 413 all the same, and the connection goes on', async () => {
    for (let time = 0; time < 3; time += 1) {
      expect(await send('x'.repeat(30 * 1024 * 1024), 'application/json')).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
    }
  });

  test('of more than 1 MiB is 413, valid or not; of 1 MiB it is read', async () => {
    const sized = (bytes: number) => JSON.stringify({ ...AI, padding: 'x'.repeat(bytes - JSON.stringify({ ...AI, padding: '' }).length) });
    expect((await send(sized(1024 * 1024), 'application/json')).status).toBe(403);
    for (const body of [sized(1024 * 1024 + 1), '{'.repeat(1024 * 1024 + 1)]) {
      expect(await send(body, 'application/json')).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
    }
  });
});

test('of the fields that nobody knows the first twenty are named, as far as a header can carry their names', async () => {
  const known = Array.from({ length: 30 }, (_none, index) => `field${index}`);
  const names = ['a b', 'ü', '', 'x\r\ny: z', 'n'.repeat(65), 'n'.repeat(64), ...known];
  const { status, headers } = await post('chatgpt', { ...AI, ...Object.fromEntries(names.map((name) => [name, 1])) });
  expect([status, headers.get('x-ignored-fields')?.split(', ')]).toEqual([403, ['n'.repeat(64), ...known.slice(0, 19)]]);
});

test('a refused request is in the log, free, with as much of it as could be read', async () => {
  const asker = await stack.tenant();
  await asker.ask({ prompt: 'Where from?', country: 'xx' });
  await asker.send('POST', '/v1/monitor/grok', { body: '{' });
  await asker.post('/v1/monitor/google', { query: 'a\u0000b', pages: 99 });
  const entries = await until('three log entries', async () => {
    const log = await stack.requestLog(asker.accountId);
    return log.length === 3 && log;
  });
  expect(
    entries.map(({ provider, mode, prompt, country, statusCode, creditsCharged }) => [provider, mode, prompt, country, statusCode, creditsCharged]).sort(),
  ).toEqual([
    ['CHATGPT', 'sync', 'Where from?', 'xx', 400, 0],
    ['GOOGLE', 'sync', null, null, 400, 0],
    ['GROK', 'sync', null, null, 400, 0],
  ]);
});

test('so is one that was refused for anything else after its key, however often', async () => {
  const asker = await stack.tenant({ rate: 3 });
  const reader = await stack.anotherKey(asker.accountId, { scopes: ['tasks:read'] });
  const sent = [
    () => asker.send('POST', '/v1/monitor/chatgpt', { body: '{}', headers: { 'content-type': 'text/plain' } }),
    () => asker.send('POST', '/v1/async/task', { body: 'x'.repeat(1024 * 1024 + 1) }),
    () => reader.ask(),
    () => reader.create(),
  ];
  const replies = await Promise.all([...sent, ...sent].map((send) => send()));
  const entries = await until('all log entries', async () => {
    const log = await stack.requestLog(asker.accountId);
    return log.length === replies.length && log;
  });
  const byId = (pairs: (readonly [string, number])[]) => Object.fromEntries(pairs);
  expect(byId(entries.map(({ requestId, statusCode }) => [requestId, statusCode]))).toEqual(
    byId(replies.map(({ status, headers }) => [headers.get('x-request-id') ?? '', status])),
  );
  // Within a clock second three get through to what is wrong with them.
  expect(replies.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(2);
});
