import { beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { type Tenant, useStack } from './stack.js';

const stack = useStack({ env: { WORKER_SLOTS: '1' } });
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant()));

const idsOf = (replies: { body: { taskId: string } }[]): string[] => replies.map(({ body }) => body.taskId);
const called = async (nonce: string): Promise<number> => (await stack.calls(nonce)).length;

describe('tasks', () => {
  test('pass through QUEUED, PROCESSING and COMPLETED, and nothing else', async () => {
    const { taskId } = (await tenant.create({ payload: { prompt: 'Slow? #delay=400ms' } })).body;
    const seen: string[] = [];
    await until('the task to be over', async () => {
      const { status } = (await tenant.read(taskId)).body.task;
      if (seen.at(-1) !== status) seen.push(status);
      return status === 'COMPLETED';
    });
    expect(['QUEUED', 'PROCESSING', 'COMPLETED'].filter((status) => seen.includes(status))).toEqual(seen);
    expect(seen).toContain('PROCESSING');
  });

  test('are run by priority, and in order of arrival within one, also after the worker was away', async () => {
    await stack.kill('worker', 'SIGTERM');
    const wanted = Array.from({ length: 30 }, (_none, index) => ({ nonce: `order-${index}`, priority: ((index * 7) % 10) + 1 }));
    const ids: string[] = [];
    for (const { nonce, priority } of wanted) ids.push((await tenant.create({ payload: { prompt: `In order? #nonce=${nonce}` }, priority })).body.taskId);
    await stack.restart('worker');
    const starts = await Promise.all(
      wanted.map(async ({ nonce, priority }, index) => {
        const { task } = (await tenant.over(ids[index] ?? '', 50_000)).body;
        expect(await called(nonce)).toBe(1);
        return { nonce, priority, startedAt: task.startedAt as string };
      }),
    );
    const expected = [...wanted].sort((one, two) => two.priority - one.priority).map(({ nonce }) => nonce);
    expect(starts.sort((one, two) => one.startedAt.localeCompare(two.startedAt)).map(({ nonce }) => nonce)).toEqual(expected);
  });

  test('wait behind a synchronous request, whatever their priority', async () => {
    const first = await tenant.create({ payload: { prompt: 'Busy? #delay=700ms' }, priority: 10 });
    const waiting = await Promise.all([1, 2, 3].map((index) => tenant.create({ payload: { prompt: `Waiting ${index}? #delay=300ms` }, priority: 10 })));
    const { headers } = await tenant.ask({ prompt: 'At once?' });
    const { startedAt } = (await tenant.read(headers.get('x-request-id') ?? '')).body.task;
    for (const id of idsOf(waiting)) expect((await tenant.over(id)).body.task.startedAt > startedAt).toBe(true);
    await tenant.over(first.body.taskId);
  });

  test('of test keys come last, whatever was asked', async () => {
    const tester = await stack.anotherKey(tenant.accountId, { test: true });
    await tenant.create({ payload: { prompt: 'Busy again? #delay=700ms' }, priority: 10 });
    const tried = await tester.create({ payload: { prompt: 'A test?' }, priority: 10 });
    const live = await tenant.create({ payload: { prompt: 'No test?' }, priority: 2 });
    const [test, real] = [(await tester.over(tried.body.taskId)).body, (await tenant.over(live.body.taskId)).body];
    expect([test.task.priority, test.credits]).toEqual([10, { creditsToCharge: 0, creditsCharged: 0 }]);
    expect(test.task.startedAt > real.task.startedAt).toBe(true);
  });
});

describe('a task that was accepted is done', () => {
  test('though its worker is told to end: it finishes what it has, and its successor takes the rest', async () => {
    const replies = await Promise.all([1, 2, 3].map((index) => tenant.create({ payload: { prompt: `Ending ${index}? #delay=500ms #nonce=end-${index}` } })));
    await until('the first to be at work', async () => (await called('end-1')) + (await called('end-2')) + (await called('end-3')) > 0);
    await stack.kill('worker', 'SIGTERM');
    await stack.restart('worker');
    for (const id of idsOf(replies)) expect((await tenant.over(id)).body.task).toMatchObject({ status: 'COMPLETED', attempts: 1 });
    expect([await called('end-1'), await called('end-2'), await called('end-3')]).toEqual([1, 1, 1]);
  });

  test('though the gateway and the task-store die at once and come back', async () => {
    const replies = await Promise.all([1, 2, 3, 4].map((index) => tenant.create({ payload: { prompt: `Dying ${index}? #delay=200ms #nonce=die-${index}` } })));
    await until('the first to be at work', async () => (await called('die-1')) > 0);
    await Promise.all([stack.kill('gateway'), stack.kill('task-store')]);
    await Promise.all([stack.restart('gateway'), stack.restart('task-store')]);
    for (const id of idsOf(replies))
      expect((await tenant.over(id, 50_000)).body).toMatchObject({ task: { status: 'COMPLETED' }, credits: { creditsCharged: 5 } });
  });
});
