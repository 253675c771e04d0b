import { beforeAll, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { completed } from '../../../../test/stand-in-worker.js';
import { useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway', 'task-store'], env: { TASK_RETENTION: '5s' } });
let letGo: () => void;
beforeAll(() => {
  const held = new Promise<void>((resolve) => (letGo = resolve));
  return stack.work(async ({ payload }) => {
    if (payload['prompt'] === 'Hold') await held;
    return { outcome: completed({ text: 'done' }) };
  });
});

const conflict = (taskId: string, status?: string) => ({
  status: 409,
  body: {
    error: {
      code: 'RESOURCE_ALREADY_EXISTS',
      message: 'This idempotency key was used before',
      details: { taskId, ...(status ? { status } : {}) },
      timestamp: expect.any(String),
    },
  },
});

test('a second creation with the same key is refused and named the first, however that stands, and costs nothing', async () => {
  const tenant = await stack.tenant({ credits: 5 });
  const { taskId } = (await tenant.create({ idempotencyKey: 'k', payload: { prompt: 'Hold' } })).body;
  await until('the task to be at work', async () => (await tenant.read(taskId)).body.task.status === 'PROCESSING');
  // Another payload, another price, no credits left: the key comes first.
  expect(await tenant.create({ idempotencyKey: 'k', payload: { prompt: 'Other', include: { rawResponse: true } } })).toMatchObject(
    conflict(taskId, 'PROCESSING'),
  );
  letGo();
  await tenant.over(taskId);
  expect(await tenant.create({ idempotencyKey: 'k' })).toMatchObject(conflict(taskId, 'COMPLETED'));
  await until('the task to expire', async () => (await tenant.read(taskId)).status === 404);
  const late = await tenant.create({ idempotencyKey: 'k' });
  expect(late).toMatchObject(conflict(taskId));
  expect(late.body.error.details).toEqual({ taskId });
  expect(await stack.credits(tenant.accountId)).toEqual({ granted: 5, balance: 0, reserved: 0, charged: 5 });
});

test('of many creations with the same key at once one is accepted, and the others are told which', async () => {
  const tenant = await stack.tenant({ credits: 100 });
  const replies = await Promise.all(Array.from({ length: 30 }, () => tenant.create({ idempotencyKey: 'race' })));
  const accepted = replies.filter(({ status }) => status === 202);
  expect(accepted).toHaveLength(1);
  const refused = replies.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(29);
  for (const { body } of refused) expect(body.error.details.taskId).toBe(accepted[0]?.body.taskId);
  await tenant.over(accepted[0]?.body.taskId);
  expect(await stack.credits(tenant.accountId)).toMatchObject({ balance: 95, reserved: 0, charged: 5 });
});

test('a key belongs to its account, exactly as it is written', async () => {
  const [one, two] = [await stack.tenant(), await stack.tenant()];
  const statuses = [];
  for (const [tenant, idempotencyKey] of [
    [one, 'key'],
    [two, 'key'],
    [one, 'KEY'],
    [one, ' key'],
    [await stack.anotherKey(one.accountId), 'key'],
  ] as const)
    statuses.push((await tenant.create({ idempotencyKey })).status);
  expect(statuses).toEqual([202, 202, 202, 202, 409]);
});

test('a creation that was refused leaves its key free', async () => {
  const tenant = await stack.tenant({ credits: 4 });
  expect((await tenant.create({ idempotencyKey: 'k', payload: { prompt: '' } })).status).toBe(400);
  expect((await tenant.create({ idempotencyKey: 'k' })).status).toBe(403);
  expect((await tenant.post('/v1/async/task', { taskType: 'GOOGLE_NEWS', payload: { query: 'x' }, idempotencyKey: 'k' })).status).toBe(202);
});
