import { expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { completed, never } from '../../../../test/stand-in-worker.js';
import { useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway', 'task-store'] });

test('the status counts the tasks of the account by priority, queued and at work, and nobody else', async () => {
  const tenant = await stack.tenant({ concurrency: 4 });
  const neighbour = await stack.tenant();
  const status = async () => (await tenant.get('/v1/async/status')).body;
  expect(await status()).toEqual({ queuedTasks: 0, processingTasks: 0, outstandingTasks: 0, priorityBreakdown: [], concurrency: { used: 0, max: 4 } });

  for (const [prompt, priority] of [
    ['stays', 10],
    ['over', 10],
    ['stays', 3],
    ['stays', 3],
    ['over', 1],
  ] as const)
    await tenant.create({ payload: { prompt }, priority });
  await (await stack.anotherKey(tenant.accountId, { test: true })).create({ payload: { prompt: 'stays' }, priority: 7 });
  await neighbour.create({ payload: { prompt: 'stays' }, priority: 5 });
  expect(await status()).toEqual({
    queuedTasks: 6,
    processingTasks: 0,
    outstandingTasks: 6,
    priorityBreakdown: [
      { priority: 10, count: 2 },
      { priority: 7, count: 1 },
      { priority: 3, count: 2 },
      { priority: 1, count: 1 },
    ],
    concurrency: { used: 0, max: 4 },
  });

  await stack.work(({ payload }) => (payload['prompt'] === 'over' ? { outcome: completed({ text: 'done' }) } : never()));
  const later = await until('the short ones to be over', async () => {
    const now = await status();
    return now.processingTasks === 4 && now.outstandingTasks === 4 && now;
  });
  // Those at work are outstanding as well, and a synchronous request is no task.
  const controller = new AbortController();
  void tenant.send('POST', '/v1/monitor/chatgpt', { body: { prompt: 'stays', country: 'US' }, signal: controller.signal }).catch(() => undefined);
  expect(later).toEqual({
    queuedTasks: 0,
    processingTasks: 4,
    outstandingTasks: 4,
    priorityBreakdown: [
      { priority: 10, count: 1 },
      { priority: 7, count: 1 },
      { priority: 3, count: 2 },
    ],
    concurrency: { used: 0, max: 4 },
  });
  await until('the slot to be taken', async () => (await status()).concurrency.used === 1);
  expect(await status()).toEqual({ ...later, concurrency: { used: 1, max: 4 } });
  controller.abort();
});

test('tasks that nobody counted by priority, as before that was done, are counted when the status is asked for', async () => {
  const tenant = await stack.tenant();
  for (const priority of [10, 3, 3]) await tenant.create({ payload: { prompt: 'stays' }, priority });
  await stack.database
    .updateTable('accounts')
    .set({ outstanding_by_priority: Array(10).fill(0) })
    .where('id', '=', tenant.accountId)
    .execute();
  const breakdown = async () => (await tenant.get('/v1/async/status')).body.priorityBreakdown;
  const three = [
    { priority: 10, count: 1 },
    { priority: 3, count: 2 },
  ];
  expect(await breakdown()).toEqual(three);
  await tenant.create({ payload: { prompt: 'stays' }, priority: 1 });
  expect(await breakdown()).toEqual([...three, { priority: 1, count: 1 }]);
});
