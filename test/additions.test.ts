import { describe, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { useStack } from './stack.js';

const stack = useStack({
  services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'],
  env: { WEBHOOK_RETRY_DELAYS: '50ms,50ms,50ms,50ms' },
});
const payload = { prompt: 'mugs', country: 'US' };

describe('a read that waits', () => {
  test('answers as soon as the task is over', async () => {
    const tenant = await stack.tenant();
    const { body } = await tenant.create({ payload: { prompt: 'mugs #delay=1500ms' } });
    const read = await tenant.get(`/v1/async/task/${body.taskId}?wait=20s`);
    expect(read.body).toMatchObject({ task: { status: 'COMPLETED' }, credits: { creditsCharged: 5 } });
    expect((await tenant.get(`/v1/async/task/${body.taskId}?wait=20s`)).text).toBe(read.text);
  });

  test('answers with the task as it stands when the time is up, and refuses to wait longer than a minute', async () => {
    const tenant = await stack.tenant();
    const { body } = await tenant.create({ payload: { prompt: 'mugs #delay=4s' } });
    expect((await tenant.get(`/v1/async/task/${body.taskId}?wait=200ms`)).body.task.status).not.toBe('COMPLETED');
    for (const wait of ['61s', '5', '']) {
      expect((await tenant.get(`/v1/async/task/${body.taskId}?wait=${wait}`)).body).toMatchObject({ success: false, details: [{ field: 'wait' }] });
    }
  });
});

describe('a batch of tasks', () => {
  test('accepts and refuses each by itself, in order, and the accepted ones are completed', async () => {
    const tenant = await stack.tenant({ credits: 10 });
    const tasks = [
      { taskType: 'CHATGPT', payload, idempotencyKey: 'first' },
      { taskType: 'CHATGPT', payload: { ...payload, country: 'nowhere' } },
      { taskType: 'CHATGPT', payload, idempotencyKey: 'first' },
      { taskType: 'CHATGPT', payload },
      { taskType: 'CHATGPT', payload },
      'no task at all',
    ];
    const { status, body, headers } = await tenant.post('/v1/async/task/batch', { tasks });
    expect([status, headers.get('x-credits-remaining')]).toEqual([200, '0']);
    expect(body.results.map((result: any) => [result.status, result.error?.code])).toEqual([
      [202, undefined],
      [400, 'VALIDATION_ERROR'],
      [409, 'RESOURCE_ALREADY_EXISTS'],
      [202, undefined],
      [403, 'INSUFFICIENT_CREDITS'],
      [400, 'VALIDATION_ERROR'],
    ]);
    expect(body.results[1].error.details).toEqual([{ field: 'payload.country', message: 'Invalid country code' }]);
    expect(body.results[2].error.details.taskId).toBe(body.results[0].taskId);
    for (const { taskId } of [body.results[0], body.results[3]]) expect((await tenant.over(taskId)).body.task.status).toBe('COMPLETED');
    const log = await until('all six in the log', async () => {
      const entries = await stack.requestLog(tenant.accountId);
      return entries.length === 6 && entries;
    });
    expect(log.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 400, 400, 403, 409]);
  });

  test('has 1 to 500 entries and at most 8 MiB, where a single creation has at most 1', async () => {
    const tenant = await stack.tenant({ credits: 0 });
    for (const tasks of [[], undefined, 'x', Array.from({ length: 501 }, () => ({}))]) {
      expect((await tenant.post('/v1/async/task/batch', { tasks })).body).toMatchObject({ success: false, details: [{ field: 'tasks' }] });
    }
    const large = { tasks: [{ taskType: 'CHATGPT', payload: { ...payload, padding: 'x'.repeat(2_000_000) } }] };
    expect((await tenant.post('/v1/async/task/batch', large)).body.results[0].status).toBe(403);
    expect((await tenant.post('/v1/async/task', large.tasks[0])).status).toBe(413);
  });
});

describe('an estimate', () => {
  test('names the price line by line, charges nothing, and is refused like a creation', async () => {
    const tenant = await stack.tenant({ credits: 1 });
    const estimate = (body: object) => tenant.post('/v1/estimate', body);
    expect((await estimate({ taskType: 'GOOGLE', payload: { query: 'mugs', pages: 3, include: { aioverview: {} } } })).body).toMatchObject({
      creditsToCharge: 9,
    });
    const { body } = await estimate({ taskType: 'CHATGPT', payload: { ...payload, include: { ads: true } } });
    expect(body.creditsToCharge).toBe(7);
    expect(body.lineItems.map(({ credits }: { credits: number }) => credits)).toEqual([5, 2]);
    expect((await estimate({ taskType: 'CHATGPT', payload: { prompt: '' } })).body.details.map(({ field }: { field: string }) => field)).toEqual([
      'payload.prompt',
      'payload.country',
    ]);
    expect((await estimate({ taskType: 'NOBODY', payload })).body.details[0].field).toBe('taskType');
    expect(await stack.credits(tenant.accountId)).toMatchObject({ balance: 1, reserved: 0, charged: 0 });
  });
});

describe('usage', () => {
  test('adds up what was settled by day, provider and key, beside the credits', async () => {
    const tenant = await stack.tenant({ credits: 100 });
    const other = await stack.anotherKey(tenant.accountId);
    expect((await tenant.ask()).status).toBe(200);
    expect((await other.ask({ include: { ads: true } })).status).toBe(200);
    expect((await tenant.ask({ prompt: 'mugs #badkey' })).status).toBe(502);
    const sums = { requests: 3, completed: 2, failed: 1, creditsCharged: 12 };
    const byDay = await tenant.get('/v1/usage');
    expect(byDay.body).toMatchObject({ groupBy: 'day', rows: [sums], credits: { granted: 100, balance: 88, reserved: 0, charged: 12 } });
    expect((await tenant.get('/v1/usage?groupBy=provider')).body.rows).toEqual([{ group: 'CHATGPT', ...sums }]);
    const byKey = (await tenant.get('/v1/usage?groupBy=key')).body.rows;
    expect(Object.fromEntries(byKey.map((row: any) => [row.group, row.creditsCharged]))).toEqual({ [tenant.keyId]: 5, [other.keyId]: 7 });
    expect((await tenant.get('/v1/usage?from=2020-01-01&to=2020-01-31')).body.rows).toEqual([]);
    for (const [query, field] of [
      ['from=yesterday', 'from'],
      ['groupBy=week', 'groupBy'],
      ['from=2026-02-01&to=2026-01-01', 'from'],
    ]) {
      expect((await tenant.get(`/v1/usage?${query}`)).body).toMatchObject({ details: [{ field }] });
    }
  });
});

describe('the delivery log', () => {
  test('lists deliveries page by page, and sends one again: the same bytes as attempt 6', async () => {
    const [tenant, other] = [await stack.tenant(), await stack.tenant()];
    const inbox = `${stack.sandboxUrl}/_inbox/log`;
    const tasks: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { body } = await tenant.create({ webhook: { url: `${inbox}${index}${index === 1 ? '?status=500&times=5' : ''}` } });
      await tenant.over(body.taskId);
      tasks.push(body.taskId);
    }
    const list = async (query = '') => (await tenant.get(`/v1/webhooks/deliveries${query}`)).body;
    await until('all deliveries to be over', async () => (await list()).deliveries.filter(({ status }: any) => status !== 'pending').length === 3);
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    expect([...first.deliveries, ...second.deliveries].map(({ taskId }: any) => taskId)).toEqual([...tasks].reverse());
    const [failed] = (await list('?status=failed')).deliveries;
    expect(failed).toMatchObject({ taskId: tasks[1], status: 'failed' });
    expect(failed.attempts.map(({ attempt, statusCode }: any) => [attempt, statusCode])).toEqual([1, 2, 3, 4, 5].map((attempt) => [attempt, 500]));
    expect((await other.post(`/v1/webhooks/deliveries/${failed.deliveryId}/redeliver`, {})).status).toBe(404);
    expect((await tenant.post(`/v1/webhooks/deliveries/${failed.deliveryId}/redeliver`, {})).status).toBe(202);
    await until('attempt 6', async () => (await list(`?taskId=${tasks[1]}`)).deliveries[0].status === 'delivered');
    const received = (await (await fetch(`${inbox}1`)).json()) as { body: string }[];
    expect(received).toHaveLength(6);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    const unscoped = await stack.anotherKey(tenant.accountId, { scopes: ['tasks:read'] });
    expect((await unscoped.get('/v1/webhooks/deliveries')).body.error.code).toBe('INSUFFICIENT_PERMISSIONS');
  });
});
