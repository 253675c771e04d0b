import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Tenant, useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway'], env: { WEBHOOK_ALLOWED_HOSTS: 'inside.internal,127.0.0.1:9999' } });
// Without credits, nothing that is valid gets further than 403.
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant({ credits: 0 })));

const PAYLOAD = { prompt: 'hello', country: 'US' };
const GOOD = { taskType: 'CHATGPT', payload: PAYLOAD };

const TYPE = expect.stringMatching(/^taskType must be one of CHATGPT, /);
const PRIORITY = 'priority must be an integer from 1 to 10';
const KEY = 'idempotencyKey must have 1 to 255 printable characters';
const URL_FORM = 'The webhook url must be absolute, with http or https and a host';
const URL_HOST = 'The host of the webhook url must be publicly reachable';

type Problems = Record<string, unknown>;
const cases: [body: unknown, problems: Problems][] = [
  ...['chatgpt', 'AIOVERVIEW', '', 'google/news', 'GOOGLE NEWS', null, 7, undefined].map((taskType): [unknown, Problems] => [
    { ...GOOD, taskType },
    { taskType: TYPE },
  ]),
  ...[undefined, null, [], 'text', 7].map((payload): [unknown, Problems] => [
    { ...GOOD, payload },
    { payload: expect.stringMatching(/^payload must be an object/) },
  ]),
  [
    { ...GOOD, payload: {} },
    { 'payload.prompt': 'Prompt is required', 'payload.country': 'Country is required' },
  ],
  [
    { taskType: 'GOOGLE', payload: { query: '', pages: 99 } },
    { 'payload.query': 'Query cannot be empty', 'payload.pages': 'pages must be an integer from 1 to 10' },
  ],
  [{ ...GOOD, payload: { ...PAYLOAD, include: { markdown: 'true' } } }, { 'payload.include.markdown': 'Expected boolean' }],
  ...[0, 11, -1, 1.5, '3', null, true].map((priority): [unknown, Problems] => [{ ...GOOD, priority }, { priority: PRIORITY }]),
  ...['', 'x'.repeat(256), 'a\nb', 'a\u0000', 'a\u007fb', '\ud800'].map((idempotencyKey): [unknown, Problems] => [
    { ...GOOD, idempotencyKey },
    { idempotencyKey: KEY },
  ]),
  ...[7, null, {}].map((idempotencyKey): [unknown, Problems] => [{ ...GOOD, idempotencyKey }, { idempotencyKey: 'Expected string' }]),
  ...['https://example.com', null, []].map((webhook): [unknown, Problems] => [{ ...GOOD, webhook }, { webhook: 'webhook must be an object with a url' }]),
  ...[undefined, 7, null].map((url): [unknown, Problems] => [{ ...GOOD, webhook: { url } }, { 'webhook.url': 'webhook.url must be a string' }]),
  ...[
    '',
    'example.com',
    '//example.com',
    '/hook',
    'ftp://example.com',
    'https://',
    'https:example.com',
    'https:///x',
    'https://exa mple.com',
    'javascript:alert(1)',
  ].map((url): [unknown, Problems] => [{ ...GOOD, webhook: { url } }, { 'webhook.url': URL_FORM }]),
  [{ ...GOOD, webhook: { url: `https://example.com/${'x'.repeat(2048)}` } }, { 'webhook.url': 'The webhook url must have at most 2048 characters' }],
  [{ ...GOOD, webhook: { url: 'https://user:secret@example.com' } }, { 'webhook.url': 'The webhook url must not contain credentials' }],
  // S8: all at once, the payload's among them.
  [
    { taskType: 'CHATGPT', payload: { prompt: '', country: 'xx' }, priority: 0, idempotencyKey: '', webhook: { url: 'x' } },
    { 'payload.prompt': 'Prompt cannot be empty', 'payload.country': 'Invalid country code', priority: PRIORITY, idempotencyKey: KEY, 'webhook.url': URL_FORM },
  ],
  [{}, { taskType: TYPE, payload: expect.any(String) }],
  ...[[], 'text', 7, null].map((body): [unknown, Problems] => [body, { body: expect.any(String) }]),
];

test.each(cases.map(([body, problems]) => [JSON.stringify(body).slice(0, 120), body, problems] as const))('%s is refused', async (_text, body, problems) => {
  const reply = await tenant.send('POST', '/v1/async/task', { body: JSON.stringify(body) });
  expect(reply).toMatchObject({ status: 400, body: { success: false, error: 'Request validation failed' } });
  expect(Object.fromEntries(reply.body.details.map(({ field, message }: { field: string; message: string }) => [field, message]))).toEqual(problems);
  expect(reply.body.details).toHaveLength(Object.keys(problems).length);
});

describe('a webhook to a host that is not publicly reachable', () => {
  const hosts = [
    ...[
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '0.0.0.0',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
    ],
    ...[
      '224.0.0.1',
      '255.255.255.255',
      '240.0.0.1',
      '192.0.2.1',
      '198.51.100.1',
      '203.0.113.1',
      '198.18.0.1',
      '[::1]',
      '[::]',
      '[fe80::1]',
      '[fc00::1]',
      '[fd12::1]',
      '[ff02::1]',
    ],
    ...['[::ffff:127.0.0.1]', '[::ffff:10.0.0.1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001:db8::1]', '[::ffff:7f00:1]'],
    ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'metadata.google.internal', 'printer.local', 'intranet', '127.0.0.1:8080'],
  ];
  test.each(hosts)('%s is refused', async (host) => {
    const { status, body } = await tenant.post('/v1/async/task', { ...GOOD, webhook: { url: `http://${host}/hook` } });
    expect([status, body.details]).toEqual([400, [{ field: 'webhook.url', message: URL_HOST }]]);
  });

  test.each([
    ['http://inside.internal/hook', 403],
    ['https://inside.internal/hook', 403],
    ['http://inside.internal:8080/hook', 400],
    ['http://127.0.0.1:9999/hook', 403],
    ['http://127.0.0.1/hook', 400],
  ])('is allowed as far as the operator named it: %s', async (url, status) => {
    expect((await tenant.post('/v1/async/task', { ...GOOD, webhook: { url } })).status).toBe(status);
  });
});

test.each([
  ...['CHATGPT', 'PERPLEXITY', 'GROK', 'GEMINI', 'COPILOT', 'AIMODE'].map((taskType) => ({ taskType, payload: PAYLOAD })),
  ...['GOOGLE', 'GOOGLE_NEWS'].map((taskType) => ({ taskType, payload: { query: 'hello' } })),
])('a task of $taskType is valid', async (body) => expect((await tenant.post('/v1/async/task', body)).status).toBe(403));

test.each([
  ['x'.repeat(255), 403],
  ['🫖'.repeat(255), 403],
  [' ', 403],
])('an idempotency key of up to 255 characters is valid: %.5s', async (idempotencyKey, status) => {
  expect((await tenant.post('/v1/async/task', { ...GOOD, idempotencyKey })).status).toBe(status);
});

test('malformed JSON, another content type and a body that is too large are told apart', async () => {
  const send = (body: string, contentType = 'application/json') => tenant.send('POST', '/v1/async/task', { body, headers: { 'content-type': contentType } });
  expect(await send('{"taskType":')).toMatchObject({ status: 400, body: { details: [{ field: 'body' }] } });
  expect(await send(JSON.stringify(GOOD), 'text/plain')).toMatchObject({ status: 415, body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } } });
  expect(await send(JSON.stringify({ ...GOOD, padding: 'x'.repeat(1024 * 1024) }))).toMatchObject({
    status: 413,
    body: { error: { code: 'PAYLOAD_TOO_LARGE' } },
  });
});
