import { beforeAll, describe, expect, test } from '@jest/globals';
import { contractOf } from '@overheard/providers/contracts';
import { until } from '@overheard/testing';
import { type Tenant, useStack } from '../../../../test/stack.js';

const stack = useStack();
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant({ concurrency: 7 })));

const result = contractOf('CHATGPT')?.result;

describe('an answer', () => {
  test('is the result that the contract describes, with its quality beside it', async () => {
    const { status, headers, body } = await tenant.ask();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(body)).toEqual(['success', 'result', 'quality']);
    expect(body.success).toBe(true);
    expect(result?.parse(body.result)).toEqual(body.result);
    expect(body.result.sources.map(({ position }: { position: number }) => position)).toEqual(
      body.result.sources.map((_source: unknown, index: number) => index + 1),
    );
    expect(body.quality.status).toBe('ok');
    // Keys with a condition that does not hold are absent, not null.
    expect(['html', 'markdown', 'rawResponse', 'searchQueries', 'ads', 'shoppingCards', 'inlineProducts'].filter((key) => key in body.result)).toEqual([]);
  });

  test.each(['html', 'markdown', 'rawResponse', 'searchQueries'])('holds %s when it was asked for, and nothing else that was not', async (flag) => {
    const plain = (await tenant.ask({ prompt: `What about ${flag}?` })).body.result;
    const { body } = await tenant.ask({ prompt: `What about ${flag}?`, include: { [flag]: true } });
    expect(Object.keys(body.result).filter((key) => !(key in plain))).toEqual([flag]);
    expect(result?.parse(body.result)).toEqual(body.result);
  });

  test('is one of that country', async () => {
    const [us, de] = await Promise.all(['US', 'DE'].map((country) => tenant.ask({ prompt: 'Which bicycle is best? #nonce=countries', country })));
    expect(us?.body.result.text).not.toBe(de?.body.result.text);
    expect((await stack.calls('countries')).map(({ country }) => country).sort()).toEqual(['DE', 'US']);
  });

  test('is to the prompt without the blanks around it', async () => {
    await tenant.ask({ prompt: '  \n Trimmed? \t ' });
    await until('the log entry', async () => (await stack.requestLog(tenant.accountId)).some(({ prompt }) => prompt === 'Trimmed?'));
  });

  test('is not changed by fields that nobody knows: they are named', async () => {
    const { status, headers } = await tenant.ask({ model: 'gpt-1', state: 'CA', include: { html: false, video: true }, 'not a name': 1, __proto__: { x: 1 } });
    expect(status).toBe(200);
    expect(headers.get('x-ignored-fields')?.split(', ').sort()).toEqual(['include.video', 'model', 'state']);
  });
});

test('the headers tell of the request, its limits, its price and its time', async () => {
  const asker = await stack.tenant({ credits: 100, concurrency: 7, rate: 70 });
  const { headers } = await asker.ask();
  const told = Object.fromEntries(headers);
  expect(told).toMatchObject({
    'x-ratelimit-limit': '70',
    'x-concurrent-limit': '7',
    'x-concurrent-current': '1',
    'x-concurrent-remaining': '6',
    'x-credits-remaining': '95',
    'x-credits-charged': '5',
    'x-upstream': 'sandbox',
  });
  expect(told['x-ratelimit-remaining']).toMatch(/^\d+$/);
  expect(told['x-ratelimit-reset']).toMatch(/^[01]$/);
  expect(told['server-timing']).toMatch(/^queue;dur=[\d.]+, upstream;dur=[\d.]+, parse;dur=[\d.]+, total;dur=[\d.]+$/);
  expect(told['x-ignored-fields']).toBeUndefined();
});

describe('a request', () => {
  test('is charged once, and the log tells of it under its request id', async () => {
    const asker = await stack.tenant({ credits: 100 });
    const before = Date.now();
    const { headers } = await asker.ask({ prompt: 'What is logged?', country: 'FR', include: { searchQueries: true } });
    expect(await stack.credits(asker.accountId)).toEqual({ granted: 100, balance: 93, reserved: 0, charged: 7 });
    const [entry, ...others] = await stack.requestLog(asker.accountId);
    expect(others).toEqual([]);
    expect(entry).toEqual({
      requestId: headers.get('x-request-id'),
      provider: 'CHATGPT',
      mode: 'sync',
      prompt: 'What is logged?',
      country: 'FR',
      statusCode: 200,
      creditsCharged: 7,
      latencyMs: expect.any(Number),
      createdAt: expect.any(Date),
    });
    expect(entry?.latencyMs).toBeLessThanOrEqual(Date.now() - before);
  });

  test('of a test key is answered by the sandbox, for nothing, and without credits', async () => {
    const { accountId } = await stack.tenant({ credits: 0 });
    const { status, headers } = await (await stack.anotherKey(accountId, { test: true })).ask({ include: { rawResponse: true } });
    expect([status, headers.get('x-upstream'), headers.get('x-credits-charged'), headers.get('x-credits-remaining')]).toEqual([200, 'sandbox', '0', '0']);
  });

  test('of the longest prompt there may be is answered, whatever its characters', async () => {
    expect((await tenant.ask({ prompt: '🫖'.repeat(10_000) })).status).toBe(200);
  });
});
