import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Tenant, useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway'] });
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant()));

const AI = { prompt: 'hello', country: 'US' };
const create = (taskType: string, payload: object, rest: object = {}) => tenant.post('/v1/async/task', { taskType, payload, ...rest });
const requestOf = (id: string) => stack.database.selectFrom('requests').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

test('a task that is accepted is QUEUED, with its address, its id and its price', async () => {
  const before = Date.now();
  const { status, headers, body } = await create('CHATGPT', { prompt: ' hello ', country: 'DE' }, { priority: 7, idempotencyKey: 'a key: é 漢字 🫖' });
  const id = headers.get('x-request-id');
  expect([status, body]).toEqual([
    202,
    {
      success: true,
      taskId: id,
      task: {
        id,
        taskType: 'CHATGPT',
        status: 'QUEUED',
        priority: 7,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        idempotencyKey: 'a key: é 漢字 🫖',
      },
      credits: { creditsToCharge: 5, creditsCharged: null },
    },
  ]);
  expect(Math.abs(Date.parse(body.task.createdAt) - before)).toBeLessThan(10_000);
  expect(headers.get('location')).toBe(`/v1/async/task/${id}`);
  expect(headers.get('x-credits-remaining')).toBe('999995');
  // A task takes no concurrency slot and has no outcome yet.
  expect(['x-concurrent-limit', 'x-credits-charged', 'x-upstream'].map((name) => headers.get(name))).toEqual([null, null, null]);
  expect(await requestOf(id ?? '')).toMatchObject({
    state: 'open',
    mode: 'async',
    prompt: 'hello',
    country: 'DE',
    priority: 7,
    status_code: 202,
    credits_charged: null,
  });
});

test('what was left out has its default, and is absent where it has none', async () => {
  const { body } = await create('CHATGPT', AI);
  expect(Object.keys(body.task)).toEqual(['id', 'taskType', 'status', 'priority', 'createdAt']);
  expect(body.task.priority).toBe(1);
});

describe('the price', () => {
  const cases: [taskType: string, payload: object, credits: number][] = [
    ['CHATGPT', AI, 5],
    ['CHATGPT', { ...AI, include: { html: true, markdown: true } }, 5],
    ...['rawResponse', 'searchQueries', 'ads', 'shopping'].map((flag): [string, object, number] => ['CHATGPT', { ...AI, include: { [flag]: true } }, 7]),
    ['CHATGPT', { ...AI, include: { rawResponse: true, searchQueries: true, ads: true, shopping: true } }, 7],
    ['PERPLEXITY', { ...AI, include: { rawResponse: true } }, 3],
    ['GROK', AI, 4],
    ['GEMINI', AI, 4],
    ['COPILOT', AI, 5],
    ['AIMODE', AI, 4],
    ['GOOGLE', { query: 'hello' }, 3],
    ['GOOGLE', { query: 'hello', include: { aioverview: {} } }, 5],
    ['GOOGLE', { query: 'hello', include: { aioverview: true, paaAioverview: true } }, 7],
    ['GOOGLE', { query: 'hello', include: { aioverview: false } }, 3],
    ['GOOGLE', { query: 'hello', pages: 3 }, 7],
    ['GOOGLE', { query: 'hello', pages: 10, include: { aioverview: {}, paaAioverview: true, html: true } }, 25],
    ['GOOGLE_NEWS', { query: 'hello', pages: 10, include: { html: true } }, 3],
  ];
  test.each(cases.map(([taskType, payload, credits]) => [taskType, JSON.stringify(payload), credits, payload] as const))(
    'of %s %s is %i',
    async (taskType, _text, credits, payload) => {
      const { status, body } = await create(taskType, payload);
      expect([status, body.credits]).toEqual([202, { creditsToCharge: credits, creditsCharged: null }]);
      expect((await requestOf(body.taskId)).provider).toBe(taskType);
    },
  );

  test('does not depend on the country', async () => {
    const charges = await Promise.all(
      ['US', 'DE', 'JP', 'BR'].map(async (country) => (await create('CHATGPT', { ...AI, country })).body.credits.creditsToCharge),
    );
    expect(new Set(charges)).toEqual(new Set([5]));
  });

  test('is reserved at once', async () => {
    const asker = await stack.tenant({ credits: 11 });
    await asker.create();
    expect(await stack.credits(asker.accountId)).toEqual({ granted: 11, balance: 6, reserved: 5, charged: 0 });
  });
});

test('a test key pays nothing and needs no credits; its task shows the priority that was asked for', async () => {
  const { accountId } = await stack.tenant({ credits: 0 });
  const tester = await stack.anotherKey(accountId, { test: true });
  const { status, headers, body } = await tester.create({ priority: 9 });
  expect([status, body.task.priority, body.credits, headers.get('x-credits-remaining')]).toEqual([202, 9, { creditsToCharge: 0, creditsCharged: null }, '0']);
  expect(await stack.database.selectFrom('accounts').select(['outstanding', 'test_outstanding']).where('id', '=', accountId).executeTakeFirst()).toEqual({
    outstanding: 0,
    test_outstanding: 1,
  });
});

test('fields that nobody knows are named and change nothing', async () => {
  const { status, headers } = await create(
    'CHATGPT',
    { ...AI, model: 'x', include: { video: true } },
    { callback: 'x', webhook: { url: 'https://example.com/hook', secret: 'x' } },
  );
  expect(status).toBe(202);
  expect(headers.get('x-ignored-fields')?.split(', ').sort()).toEqual(['callback', 'payload.include.video', 'payload.model', 'webhook.secret']);
});

test.each([
  'https://example.com',
  'http://example.com:8080/a?b=c#d',
  'https://xn--bcher-kva.example/',
  'https://8.8.8.8/hook',
  'https://[2606:4700:4700::1111]/hook',
])('a webhook may go to %s', async (url) => {
  const { status, body } = await create('CHATGPT', AI, { webhook: { url } });
  expect([status, (await requestOf(body.taskId)).webhook_url]).toEqual([202, url]);
});
