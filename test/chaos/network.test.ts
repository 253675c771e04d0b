import { beforeEach, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { flows, Load, statusesOf } from '../load.js';
import { nothingLost } from '../nothing-lost.js';
import { type Tenant, useStack } from '../stack.js';
import { figure, percentile, secondsSince } from './figures.js';

const ACK_WAIT_MS = 30_000;
const ANSWER_WITHIN_MS = 5500;
const FLOWS_WITHIN_MS = 15_000;
/** Two pings of 10 s that stay without an answer, and the time until the next one. */
const NOTICED_WITHIN_MS = 35_000;
const TEST_MS = 240_000;

const stack = useStack({ cuttable: true, services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'] });
let tenant: Tenant;
beforeEach(async () => void (tenant = await stack.tenant({ rate: 10_000, concurrency: 300 })));

const calls = async (nonce: string): Promise<number> => (await stack.calls(nonce)).length;
test(
  'NATS behind a black hole under load: tasks are accepted, synchronous requests get their error in time, and all flows again within 15 s',
  async () => {
    const load = new Load(tenant, { name: 'hole', perSecond: 30, syncEvery: 5, words: '#delay=300ms' });
    await until('some to be answered', () => load.calls.length > 60);
    await stack.stall('NATS_URL');
    const before = load.calls.length;
    await until('a while without it', () => load.calls.length > before + 300);
    await stack.mend('NATS_URL');
    const back = Date.now();
    figure('flows again after, s', await flows(tenant));
    const all = await load.end();
    const tasks = all.filter(({ kind }) => kind === 'task');
    expect(statusesOf(tasks)).toEqual({ 202: tasks.length });
    const prompt = all.filter(({ kind, reply }) => kind === 'task' || reply?.status === 500);
    expect(Math.max(...prompt.map(({ ms }) => ms))).toBeLessThan(ANSWER_WITHIN_MS);
    await nothingLost(stack, 90_000);
    figure('all over after, s', secondsSince(back));
    figure('answers', JSON.stringify(statusesOf(all)));
  },
  TEST_MS,
);

test(
  'NATS a quarter of a second away: all is slower, and nothing fails',
  async () => {
    await stack.cut('NATS_URL');
    await stack.mend('NATS_URL');
    stack.way('NATS_URL').slow(125);
    await flows(tenant, 30_000);
    const load = new Load(tenant, { name: 'far', perSecond: 10, syncEvery: 2 });
    await until('a hundred to be answered', () => load.calls.length >= 100);
    const all = await load.end();
    await nothingLost(stack);
    expect(Object.keys(statusesOf(all)).sort()).toEqual(['200', '202']);
    figure(
      'synchronous p50, ms',
      percentile(
        all.filter(({ kind }) => kind === 'sync').map(({ ms }) => ms),
        50,
      ),
    );
    await stack.cut('NATS_URL');
    await stack.mend('NATS_URL');
    await flows(tenant, 30_000);
  },
  TEST_MS,
);

test(
  'NATS that has forgotten every connection without a word: each service notices, and all flows again',
  async () => {
    stack.way('NATS_URL').forget();
    const { taskId } = (await tenant.create({ payload: { prompt: 'Half open?' } })).body;
    figure('flows again after, s', await flows(tenant, NOTICED_WITHIN_MS + FLOWS_WITHIN_MS));
    expect((await tenant.over(taskId, 60_000)).body.task.status).toBe('COMPLETED');
    await nothingLost(stack);
  },
  TEST_MS,
);

test(
  'a worker that is cut off from NATS for a minute: its task is done elsewhere, its own result is dropped, and healed it works again within 10 s',
  async () => {
    const way = await stack.ownLink('NATS_URL');
    const lonely = await stack.another('worker', { NATS_URL: way.address });
    await stack.end('worker');
    const { taskId } = (await tenant.create({ payload: { prompt: 'Lonely? #delay=5s #nonce=lonely' } })).body;
    await until('it to be at work', async () => (await calls('lonely')) === 1);
    way.stall();
    const stalled = Date.now();
    await stack.restart('worker');
    const { text } = await tenant.over(taskId, 2 * ACK_WAIT_MS);
    figure('over elsewhere after, s', secondsSince(stalled));
    await until('a minute to be over', () => Date.now() > stalled + 2 * ACK_WAIT_MS, 2 * ACK_WAIT_MS);
    await way.mend();
    const healed = Date.now();
    await stack.end('worker');
    await until('the lonely one to work again', async () => (await tenant.ask({ prompt: 'Healed?' })).status === 200, 10_000);
    figure('works again after, s', secondsSince(healed));
    expect([(await tenant.read(taskId)).text, await calls('lonely')]).toEqual([text, 2]);
    await lonely.stop();
    await stack.restart('worker');
    await nothingLost(stack);
  },
  TEST_MS,
);
