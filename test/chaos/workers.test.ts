import { beforeEach, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { nothingLost } from '../nothing-lost.js';
import { type Tenant, useStack } from '../stack.js';
import { figure, secondsSince } from './figures.js';

/** After a `kill -9` of a worker: 30 s until another one gets its messages, and the rest. */
const OVER_WITHIN_MS = 45_000;
const ACK_WAIT_MS = 30_000;
const TEST_MS = 400_000;

const stack = useStack({ services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'] });
let tenant: Tenant;
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
    // An answer of which the worker keeps more than it has memory for.
    const poor = { NODE_OPTIONS: '--max-old-space-size=96' };
    await stack.kill('worker');
    let deaths = 0;
    let over = false;
    const supervise = async () => {
      for (; !over; deaths += 1) {
        await stack.restart('worker', poor);
        await until('it to die, or the end', () => over || stack.service('worker').pid === undefined, TEST_MS);
      }
    };
    const supervised = supervise();
    const poison = await tenant.create({ payload: { prompt: 'Poison? #large=60mb', include: { rawResponse: true } }, webhook: webhook('poison') });
    const others: string[] = [];
    const began = Date.now();
    const result = await until(
      'the poison to be given up',
      async () => {
        if (others.length < (Date.now() - began) / 3000)
          await tenant.create({ payload: { prompt: `Beside it ${others.length}?` } }).then(({ body }) => others.push(body.taskId));
        const { body } = await tenant.read(poison.body.taskId);
        return body.task.status === 'FAILED' && body;
      },
      300_000,
    );
    figure('given up after, s', secondsSince(began));
    figure('deaths', deaths);
    expect([result.credits.creditsCharged, result.response.error.code]).toEqual([0, 'INTERNAL_SERVER_ERROR']);
    expect(deaths).toBe(5);
    const [hit] = await until('its webhook', async () => {
      const hits = await inbox('poison');
      return hits.length > 0 && hits;
    });
    expect(JSON.parse(hit?.body ?? '').task.status).toBe('FAILED');
    for (const id of others) expect((await tenant.over(id, 2 * ACK_WAIT_MS)).body.task.status).toBe('COMPLETED');
    figure('tasks beside it', others.length);
    await nothingLost(stack);
    over = true;
    await supervised;
  },
  TEST_MS,
);
