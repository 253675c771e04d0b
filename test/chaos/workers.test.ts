import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { nothingLost } from '../nothing-lost.js';
import { type Tenant, useStack } from '../stack.js';
import { figure, secondsSince } from './figures.js';

/** After a `kill -9` of a worker: 30 s until another one gets its messages, and the rest. */
const OVER_WITHIN_MS = 45_000;
const ACK_WAIT_MS = 30_000;
const TEST_MS = 400_000;

const stack = useStack({ services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'] });
// Beside the others, since it takes five times the patience.
const poisonStack = useStack({ services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'] });
let poisoned: ReturnType<typeof poison>;
let tenant: Tenant;
beforeAll(() => {
  poisoned = poison();
  // Whoever awaits it hears of it.
  poisoned.catch(() => undefined);
});
beforeEach(async () => void (tenant = await stack.tenant()));

const calls = async (nonce: string): Promise<number> => (await stack.calls(nonce)).length;
const webhook = (nonce: string) => ({ url: `${stack.sandboxUrl}/_inbox/${nonce}` });
const inbox = async (nonce: string): Promise<{ body: string }[]> => (await fetch(`${stack.sandboxUrl}/_inbox/${nonce}`)).json() as never;
const atWork = (nonces: string[]) => until('all to be at work', async () => (await Promise.all(nonces.map(calls))).every((count) => count >= 1));

test(
  'kill -9 of a worker that holds 20 tasks: each is over within 45 s, charged once, asked at most twice, delivered once',
  async () => {
    const nonces = Array.from({ length: 20 }, (_none, index) => `held-${index}`);
    const replies = await Promise.all(
      nonces.map((nonce) => tenant.create({ payload: { prompt: `Held? #delay=2s #nonce=${nonce}` }, webhook: webhook(nonce) })),
    );
    await atWork(nonces);
    await stack.kill('worker');
    const died = Date.now();
    await stack.restart('worker');
    for (const { body } of replies)
      expect((await tenant.over(body.taskId, died + OVER_WITHIN_MS - Date.now())).body).toMatchObject({
        task: { status: 'COMPLETED' },
        credits: { creditsCharged: 5 },
      });
    figure('over after, s', secondsSince(died));
    await nothingLost(stack);
    for (const nonce of nonces) expect([nonce, await calls(nonce), (await inbox(nonce)).length]).toEqual([nonce, 2, 1]);
    expect((await stack.credits(tenant.accountId)).charged).toBe(100);
  },
  TEST_MS,
);

test(
  'a worker that freezes after the upstream’s answer: another one does the task, and what the first says when it thaws changes nothing',
  async () => {
    await stack.kill('worker');
    await stack.restart('worker', { FAILPOINT: 'worker.answered:stop' });
    const { taskId } = (await tenant.create({ payload: { prompt: 'Frozen? #nonce=frozen' }, webhook: webhook('frozen') })).body;
    await atWork(['frozen']);
    const frozen = Date.now();
    const other = await stack.another('worker');
    const { text } = await tenant.over(taskId, 2 * ACK_WAIT_MS);
    figure('over after, s', secondsSince(frozen));
    // It has been frozen for long when its message is somebody else's.
    await until('three times the patience to be over', () => Date.now() > frozen + 3 * ACK_WAIT_MS, 100_000);
    stack.service('worker').goOn();
    await until('the late outcome to be known', async () => stack.log('worker').some(({ msg, taskId: id }) => msg === 'task run' && id === taskId));
    await nothingLost(stack);
    const webhookless = (json: string) => json.replace(/,"webhook":\{[^}]*\}/, '');
    expect(webhookless((await tenant.read(taskId)).text)).toBe(webhookless(text));
    expect([await calls('frozen'), (await inbox('frozen')).length, (await stack.credits(tenant.accountId)).charged]).toEqual([2, 1, 5]);
    await other.stop();
  },
  TEST_MS,
);

test(
  'SIGTERM with work that takes longer than the grace: exit status 0 in time, the work goes on elsewhere within a second, and no attempt is burnt',
  async () => {
    const nonces = Array.from({ length: 20 }, (_none, index) => `long-${index}`);
    const replies = await Promise.all(nonces.map((nonce) => tenant.create({ payload: { prompt: `Long? #delay=40s #nonce=${nonce}` } })));
    await atWork(nonces);
    const other = await stack.another('worker');
    const told = Date.now();
    expect(await stack.end('worker')).toBe(0);
    figure('ended after, s', secondsSince(told));
    await until('all to be at work elsewhere', async () => (await Promise.all(nonces.map(calls))).every((count) => count === 2), 2000);
    // The second time they are not held up for longer than it takes to see this.
    for (const { body } of replies)
      expect((await tenant.over(body.taskId, 60_000)).body).toMatchObject({ task: { status: 'COMPLETED', attempts: 1 }, credits: { creditsCharged: 5 } });
    await other.stop();
    await stack.restart('worker');
    await nothingLost(stack);
  },
  TEST_MS,
);

test(
  'a task that kills every worker is given up after five claims, free, and says so by webhook; no other task is lost for it',
  async () => {
    const { over, others, deaths, seconds } = await poisoned;
    figure('given up after, s', seconds);
    figure('tasks beside it', others.length);
    expect([over.credits.creditsCharged, over.response.error.code, deaths]).toEqual([0, 'INTERNAL_SERVER_ERROR', 5]);
    const hits = (await (await fetch(`${poisonStack.sandboxUrl}/_inbox/poison`)).json()) as { body: string }[];
    expect(hits.map(({ body }) => JSON.parse(body).task.status)).toEqual(['FAILED']);
    expect(others.map(({ task }) => task.status)).toEqual(others.map(() => 'COMPLETED'));
  },
  TEST_MS,
);

/** Poisons a stack of its own until the poison is given up: an answer of which the worker keeps more than it has memory for. A dead worker is started again. */
async function poison() {
  await poisonStack.kill('worker');
  let deaths = 0;
  let isOver = false;
  const supervised = (async () => {
    for (; !isOver; deaths += 1) {
      await poisonStack.restart('worker', { NODE_OPTIONS: '--max-old-space-size=96' });
      await until('it to die, or the end', () => isOver || poisonStack.service('worker').pid === undefined, TEST_MS);
    }
  })();
  const tenant = await poisonStack.tenant();
  const webhook = { url: `${poisonStack.sandboxUrl}/_inbox/poison` };
  const { taskId } = (await tenant.create({ payload: { prompt: 'Poison? #large=60mb', include: { rawResponse: true } }, webhook })).body;
  const began = Date.now();
  const ids: string[] = [];
  const over = await until(
    'the poison to be given up',
    async () => {
      if (ids.length < (Date.now() - began) / 3000) ids.push((await tenant.create({ payload: { prompt: `Beside it ${ids.length}?` } })).body.taskId);
      const { body } = await tenant.read(taskId);
      return body.task.status === 'FAILED' && body;
    },
    300_000,
  );
  const result = { over, deaths, seconds: secondsSince(began) };
  const others = [];
  for (const id of ids) others.push((await tenant.over(id, 2 * ACK_WAIT_MS)).body);
  await nothingLost(poisonStack);
  isOver = true;
  await supervised;
  return { ...result, others };
}
