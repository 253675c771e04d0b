import { beforeEach, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { nothingLost } from '../nothing-lost.js';
import { type Tenant, useStack } from '../stack.js';
import { figure, SEED } from './figures.js';

const TEST_MS = 300_000;
const UPSTREAM_MS = 200;

const stack = useStack({ env: { WORKER_SLOTS: '1' } });
let tenant: Tenant;
beforeEach(async () => void (tenant = await stack.tenant({ rate: 100_000, credits: 10_000_000 })));

/** Queues tasks by batches; gives their ids in the order in which they were asked for. */
async function queue(tasks: { prompt: string; priority: number }[]): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < tasks.length; from += 500) {
    const batch = tasks.slice(from, from + 500).map(({ prompt, priority }) => ({ taskType: 'CHATGPT', payload: { prompt, country: 'US' }, priority }));
    const { body } = await tenant.post('/v1/async/task/batch', { tasks: batch });
    ids.push(...body.results.map(({ taskId }: { taskId: string }) => taskId));
  }
  return ids;
}

const published = () =>
  until(
    'all to be published',
    async () =>
      Number(
        (
          await stack.database
            .selectFrom('requests')
            .select((rows) => rows.fn.countAll().as('left'))
            .where('state', '=', 'open')
            .where('published_at', 'is', null)
            .executeTakeFirst()
        )?.left,
      ) === 0,
    90_000,
  );

const startsOf = async (ids: string[]): Promise<Map<string, number>> => {
  const rows = await stack.database.selectFrom('tasks').select(['id', 'started_at']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, started_at }) => [id, started_at?.getTime() ?? 0]));
};

/** The same for the same seed. */
const priorityOf = (index: number): number => ((Math.imul(index + 1, 2_654_435_761 ^ SEED) >>> 8) % 10) + 1;

test(
  'one slot and 500 tasks of random priorities queued: they start exactly by priority, and in order of creation within one',
  async () => {
    await stack.end('worker');
    const tasks: { id: string; priority: number; index: number }[] = [];
    // One by one, so that there is an order of creation.
    for (let index = 0; index < 500; index += 1) {
      const priority = priorityOf(index);
      tasks.push({ id: (await tenant.create({ priority, payload: { prompt: `In order ${index}?` } })).body.taskId, priority, index });
    }
    await published();
    await stack.restart('worker');
    await nothingLost(stack, 120_000);
    const starts = await startsOf(tasks.map(({ id }) => id));
    const started = [...tasks].sort(
      (one, two) => (starts.get(one.id) ?? 0) - (starts.get(two.id) ?? 0) || two.priority - one.priority || one.index - two.index,
    );
    const wanted = [...tasks].sort((one, two) => two.priority - one.priority || one.index - two.index);
    expect(started.map(({ index }) => index)).toEqual(wanted.map(({ index }) => index));
  },
  TEST_MS,
);

test(
  'eight workers: no task starts while a more urgent one that was created 100 ms earlier waits',
  async () => {
    const more = [];
    for (let count = 1; count < 8; count += 1) more.push(await stack.another('worker'));
    const tasks: { id: string; priority: number; created: number }[] = [];
    // What the slowest creation takes is what this machine may take at this moment for anything.
    let slowestMs = 0;
    for (let index = 0; index < 400; index += 1) {
      const priority = priorityOf(index);
      const began = performance.now();
      const { body } = await tenant.create({ priority, payload: { prompt: `Eight ${index}? #delay=${UPSTREAM_MS}ms` } });
      tasks.push({ id: body.taskId, priority, created: Date.parse(body.task.createdAt) });
      slowestMs = Math.max(slowestMs, performance.now() - began);
    }
    await nothingLost(stack, 120_000);
    const starts = await startsOf(tasks.map(({ id }) => id));
    const overtaken = tasks.flatMap((urgent) =>
      tasks.filter(
        (other) =>
          other.priority < urgent.priority &&
          (starts.get(other.id) ?? 0) < (starts.get(urgent.id) ?? 0) &&
          urgent.created + 100 + slowestMs < (starts.get(other.id) ?? 0),
      ),
    );
    figure('slowest creation, ms', slowestMs);
    await Promise.all(more.map((worker) => worker.stop()));
    expect(overtaken).toEqual([]);
  },
  TEST_MS,
);

test(
  'ten thousand tasks of priority 1 queued: once one of priority 10 or a synchronous request is on its lane, at most one other starts before it',
  async () => {
    await stack.end('worker');
    const ids = await queue(Array.from({ length: 10_000 }, (_none, index) => ({ prompt: `Last ${index}? #delay=${UPSTREAM_MS}ms`, priority: 1 })));
    await published();
    await stack.restart('worker');
    await until('the first to be at work', async () => (await startsOf(ids.slice(0, 1))).size === 1);
    const { body } = await tenant.create({ priority: 10, payload: { prompt: 'First?' } });
    await tenant.over(body.taskId, 10_000);
    const reply = await tenant.ask({ prompt: 'At once?' });
    for (const id of [body.taskId, reply.headers.get('x-request-id') ?? '']) {
      const { task } = (await tenant.read(id)).body;
      const { published_at: published } = await stack.database.selectFrom('requests').select('published_at').where('id', '=', id).executeTakeFirstOrThrow();
      const others = await stack.database
        .selectFrom('tasks')
        .select((rows) => rows.fn.countAll().as('count'))
        .where('started_at', '>', published as Date)
        .where('started_at', '<', new Date(task.startedAt))
        .executeTakeFirst();
      figure('started after, ms', Date.parse(task.startedAt) - Date.parse(task.createdAt));
      expect(Number(others?.count)).toBeLessThanOrEqual(1);
    }
  },
  TEST_MS,
);
