import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { SUBJECTS } from '@overheard/bus';
import { attemptFailed, RETRIES_EXCEEDED } from '@overheard/contracts';
import { until } from '@overheard/testing';
import { useStack } from '../../../test/stack.js';
import { TasksRepository } from '../src/tasks.repository.js';
import { completed, failed, Neighbours } from './events.js';

const CLAIMS_MAX = 5;

const stack = useStack({ services: ['task-store'] });
let neighbours: Neighbours;
beforeAll(() => {
  neighbours = new Neighbours(stack.bus);
});

const taskOf = (id: string) => stack.database.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const count = (id: string, attempts: number) => stack.bus.notify(SUBJECTS.attemptFailed, attemptFailed, { id, attempts });

describe('a claim', () => {
  test('makes a task PROCESSING; its time runs from the first one', async () => {
    const id = randomUUID();
    expect(await neighbours.claim(id)).toMatchObject({ verdict: 'go', attempts: 0 });
    const first = await taskOf(id);
    expect(first).toMatchObject({ status: 'PROCESSING', claims: 1, completed_at: null });
    expect(Number(first.deadline_at) - Number(first.started_at)).toBe(60_000);
    const again = await neighbours.claim(id, { deadlineMs: 600_000 });
    expect(again).toMatchObject({ verdict: 'go' });
    expect(again.verdict === 'go' && again.remainingMs).toBeLessThanOrEqual(60_000);
    expect(await taskOf(id)).toMatchObject({ claims: 2, started_at: first.started_at, deadline_at: first.deadline_at });
  });

  test('goes on counting attempts where the one before stopped, and never back', async () => {
    const id = randomUUID();
    await neighbours.claim(id);
    for (const attempts of [1, 3, 2]) count(id, attempts);
    await until('the attempts to be counted', async () => (await taskOf(id)).attempts === 3);
    expect(await neighbours.claim(id)).toMatchObject({ verdict: 'go', attempts: 3 });
    await neighbours.finish(id, failed);
    await neighbours.noticesOf(id);
    // The outcome knew of one attempt only; what was counted stands.
    expect((await taskOf(id)).attempts).toBe(3);
  });

  test.each([
    ['COMPLETED', completed('"done"')],
    ['FAILED', failed],
  ])('of a task that is %s changes nothing: it is over', async (status, outcome) => {
    const id = randomUUID();
    await neighbours.finish(id, outcome);
    await neighbours.noticesOf(id);
    const before = await taskOf(id);
    expect(await neighbours.claim(id)).toEqual({ verdict: 'over' });
    count(id, 9);
    expect(await neighbours.claim(id)).toEqual({ verdict: 'over' });
    expect(await taskOf(id)).toEqual(before);
    expect(before.status).toBe(status);
  });

  test('is granted to five workers that died, and the sixth ends the task as our fault, free', async () => {
    const id = randomUUID();
    const verdicts: string[] = [];
    for (let claim = 0; claim < CLAIMS_MAX; claim += 1) verdicts.push((await neighbours.claim(id)).verdict);
    expect(verdicts).toEqual(Array(CLAIMS_MAX).fill('go'));
    expect(await neighbours.claim(id)).toEqual({ verdict: 'over' });
    expect(await neighbours.noticesOf(id)).toMatchObject([
      { status: 'FAILED', statusCode: 500, charge: false, outcome: { error: { code: 'INTERNAL_SERVER_ERROR', message: RETRIES_EXCEEDED } } },
    ]);
    expect(await neighbours.claim(id)).toEqual({ verdict: 'over' });
  });

  test('that comes after the deadline ends the task as a timeout, free', async () => {
    const id = randomUUID();
    await neighbours.claim(id, { deadlineMs: 50 });
    await until('the deadline to pass', async () => Number((await taskOf(id)).deadline_at) < Date.now() - 10);
    expect(await neighbours.claim(id)).toEqual({ verdict: 'over' });
    expect(await neighbours.noticesOf(id)).toMatchObject([{ status: 'FAILED', charge: false, statusCode: 502 }]);
    expect(JSON.parse((await taskOf(id)).error ?? '')).toMatchObject({ code: 'EXTERNAL_SERVICE_ERROR', details: { reason: 'timeout' } });
  });

  test('is answered for each of a thousand tasks that are claimed at once', async () => {
    const ids = Array.from({ length: 1000 }, () => randomUUID());
    const replies = await Promise.all(ids.map((id) => neighbours.claim(id)));
    expect(replies.filter(({ verdict }) => verdict === 'go')).toHaveLength(ids.length);
    const rows = await stack.database.selectFrom('tasks').select(['claims', 'status']).where('id', 'in', ids).execute();
    expect(rows.filter(({ claims, status }) => claims === 1 && status === 'PROCESSING')).toHaveLength(ids.length);
  });

  test('and attempts that are counted at the same time, for the same thousand tasks, never wait for each other in a circle', async () => {
    const tasks = new TasksRepository(stack.database);
    const requests = Array.from(
      { length: 1000 },
      () => ({ id: randomUUID(), accountId: randomUUID(), provider: 'ANY', route: 'live', deadlineMs: 60_000, inbox: 'none' }) as const,
    );
    const counts = () => requests.map(({ id }) => ({ id, attempts: 1, at: Math.random() })).sort((one, two) => one.at - two.at);
    await tasks.claim(requests, 1000);
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([tasks.claim(requests, 1000), tasks.countAttempts(counts()), tasks.claim(requests, 1000), tasks.countAttempts(counts())]);
    }
    expect(await taskOf(requests[0]?.id ?? '')).toMatchObject({ claims: 21, attempts: 1 });
  });
});
