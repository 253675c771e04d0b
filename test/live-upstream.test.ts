import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { contractOf } from '@overheard/providers/contracts';
import { type ReplayUpstream, replayUpstream } from '@overheard/providers/replay-upstream';
import { startStack, type Stack } from './stack.js';

const KEY = 'sk-operator-0123456789';
const recorded = readFileSync(join(import.meta.dirname, '../libs/providers/src/chatgpt/fixtures/cited.sse'), 'utf8');

let upstream: ReplayUpstream;
let stack: Stack;
beforeAll(async () => {
  upstream = await replayUpstream({ headers: { 'content-type': 'text/event-stream' }, body: recorded, chunkBytes: 777 });
  // Without a fallback: what is answered, the operator's upstream has answered.
  stack = await startStack({
    env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${upstream.url}/v1`, OPENAI_MODEL: 'gpt-5', UPSTREAM_FALLBACK: 'none', PROVIDERS: 'CHATGPT,GROK' },
  });
}, 180_000);
afterAll(async () => {
  await stack?.stop();
  await upstream[Symbol.asyncDispose]();
}, 180_000);

test("with the operator's credentials the very same path asks the real address, and answers with what that said", async () => {
  const tenant = await stack.tenant();
  const prompt = 'Which aquarium pump is quiet? #badkey';
  const { status, headers, body } = await tenant.ask({ prompt, country: 'DE', include: { rawResponse: true, searchQueries: true, markdown: true } });
  expect([status, headers.get('x-upstream'), headers.get('x-credits-charged')]).toEqual([200, 'live', '7']);
  expect(contractOf('CHATGPT')?.result.parse(body.result)).toEqual(body.result);

  expect(upstream.requests).toHaveLength(1);
  const { method, path, headers: sent, body: asked } = upstream.requests[0] as ReplayUpstream['requests'][number];
  expect([method, path, sent['authorization'], sent['content-type'], sent['accept']]).toEqual([
    'POST',
    '/v1/responses',
    `Bearer ${KEY}`,
    'application/json',
    'text/event-stream',
  ]);
  expect(JSON.parse(asked)).toEqual({
    model: 'gpt-5',
    // Nothing steers a real upstream: the words go to it as they are.
    input: [{ role: 'user', content: prompt }],
    tools: [{ type: 'web_search', user_location: { type: 'approximate', country: 'DE' } }],
    tool_choice: 'required',
    include: ['web_search_call.action.sources'],
    store: false,
    stream: true,
  });

  // What was recorded is what is answered.
  const events = [...recorded.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
  const search = events.find(({ type, item }) => type === 'response.output_item.done' && item.type === 'web_search_call');
  expect(body.result.model).toBe(events[0].response.model);
  expect(body.result.searchQueries).toEqual(expect.arrayContaining(search.item.action.queries));
  expect(body.result.rawResponse).toEqual(expect.arrayContaining([search]));
  const read = await tenant.read(headers.get('x-request-id') ?? '');
  expect(read.body.response).toEqual(body.result);
});

test('a test key never reaches it, nor does its credential reach the sandbox', async () => {
  const { accountId } = await stack.tenant();
  const before = upstream.requests.length;
  const tester = await stack.anotherKey(accountId, { test: true });
  const { status, headers } = await tester.ask({ prompt: 'A test? #nonce=tested' });
  expect([status, headers.get('x-upstream'), upstream.requests.length]).toEqual([200, 'sandbox', before]);
  expect(await stack.calls('tested')).toHaveLength(1);
  expect(JSON.stringify(stack.log('worker')) + JSON.stringify(stack.log('sandbox'))).not.toContain(KEY);
});

test('a provider without credentials says so at start, and its tasks fail at once, free', async () => {
  expect(stack.log('worker').filter(({ level, provider, msg }) => level === 'warn' && provider === 'GROK' && /no credentials/.test(msg))).toHaveLength(1);
  const tenant = await stack.tenant();
  const { status, headers, body } = await tenant.post('/v1/monitor/grok', { prompt: 'Anybody?', country: 'US' });
  expect([status, body.error.code, body.error.details.reason, headers.get('x-credits-charged')]).toEqual([
    502,
    'EXTERNAL_SERVICE_ERROR',
    'rejected_credentials',
    '0',
  ]);
});
