import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { flows, Load, statusesOf } from '../load.js';
import { nothingLost } from '../nothing-lost.js';
import { OwnServers } from '../own-servers.js';
import { type Tenant, useStack } from '../stack.js';
import { figure, percentile, secondsSince } from './figures.js';

const ANSWER_WITHIN_MS = 5500;
const TEST_MS = 180_000;

const servers = new OwnServers();
const stack = useStack({ servers, cuttable: true, services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'] });
let tenant: Tenant;
beforeAll(async () => void (await stack.tenant()));
beforeEach(async () => void (tenant = await stack.tenant({ rate: 10_000, concurrency: 300 })));

/** Harm under load: refusals come in time, whatever was accepted is done, and all flows by itself once the harm is over. */
async function underLoad(name: string, { harm, heal }: { harm: () => Promise<void>; heal: () => Promise<void> }): Promise<void> {
  const load = new Load(tenant, { name, perSecond: 40, syncEvery: 5, words: '#delay=300ms', webhook: (nonce) => `${stack.sandboxUrl}/_inbox/${nonce}` });
  await until('some to be answered', () => load.calls.length > 60);
  await harm();
  await until('a while without it', () => load.calls.filter(({ reply }) => reply?.status === 500).length > 80);
  await heal();
  const back = Date.now();
  figure('flows again after, s', await flows(tenant));
  const calls = await load.end();
  expect(Object.keys(statusesOf(calls)).filter((status) => !['200', '202', '500'].includes(status))).toEqual([]);
  // A synchronous request that was at work is answered afterwards; every refusal is in time.
  const refused = calls.filter(({ reply, kind }) => reply?.status === 500 || kind === 'task');
  expect(Math.max(...refused.map(({ ms }) => ms))).toBeLessThan(ANSWER_WITHIN_MS);
  await nothingLost(stack);
  figure('all over after, s', secondsSince(back));
  figure('answers', JSON.stringify(statusesOf(calls)));
  figure('slowest refusal, ms', Math.max(...refused.map(({ ms }) => ms)));
  for (const { reply } of calls) if (reply?.status === 202) expect((await tenant.read(reply.body.taskId)).body.task.status).toBe('COMPLETED');
}

test(
  'kill -9 of PostgreSQL under load: errors come in time, whatever was accepted is done, and all flows again within 15 s',
  () => underLoad('killed', { harm: () => servers.postgres.kill(), heal: () => servers.restart(servers.postgres) }),
  TEST_MS,
);

test(
  'PostgreSQL behind a black hole under load: the same',
  () => underLoad('hole', { harm: () => stack.stall('DATABASE_URL'), heal: () => stack.mend('DATABASE_URL') }),
  TEST_MS,
);

test(
  'PostgreSQL that has forgotten every connection: the same without anybody’s help, as new connections work',
  async () => {
    const load = new Load(tenant, { name: 'forgotten', perSecond: 20, words: '#delay=300ms' });
    await until('some to be answered', () => load.calls.length > 40);
    stack.way('DATABASE_URL').forget();
    const forgotten = Date.now();
    await until('tasks to be accepted again', async () => (await tenant.create()).status === 202, 60_000);
    figure('accepts again after, s', secondsSince(forgotten));
    const calls = await load.end();
    expect(Math.max(...calls.map(({ ms }) => ms))).toBeLessThan(ANSWER_WITHIN_MS);
    await nothingLost(stack, 90_000);
    figure('all over after, s', secondsSince(forgotten));
  },
  TEST_MS,
);

test(
  'PostgreSQL two seconds away: every request is answered or refused within 5 s, the event loop stays free, and it recovers alone',
  async () => {
    // Connections that are there stay as quick as they were.
    await stack.cut('DATABASE_URL');
    await stack.mend('DATABASE_URL');
    stack.way('DATABASE_URL').slow(1000);
    const load = new Load(tenant, { name: 'slow', perSecond: 20 });
    const healthMs: number[] = [];
    for (let look = 0; look < 40; look += 1) {
      const began = performance.now();
      await fetch(`${stack.healthUrl('gateway')}/healthz`);
      healthMs.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    await stack.cut('DATABASE_URL');
    await stack.mend('DATABASE_URL');
    figure('flows again after, s', await flows(tenant));
    const calls = await load.end();
    expect(Math.max(...calls.map(({ ms }) => ms))).toBeLessThan(ANSWER_WITHIN_MS);
    expect(percentile(healthMs, 95)).toBeLessThan(200);
    await nothingLost(stack);
    figure('answers', JSON.stringify(statusesOf(calls)));
    figure('slowest, ms', Math.max(...calls.map(({ ms }) => ms)));
  },
  TEST_MS,
);

test(
  'kill -9 of everything at once with a hundred holds: once all is back, each task is over and nothing is reserved',
  async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, (_none, index) => tenant.create({ payload: { prompt: `All at once ${index}? #delay=1s` } })));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 202));
    await until('some to be at work', async () => (await tenant.read(replies[0]?.body.taskId)).body.task.status !== 'QUEUED');
    await Promise.all([
      ...(['gateway', 'worker', 'task-store', 'webhook-dispatcher'] as const).map((name) => stack.kill(name)),
      servers.postgres.kill(),
      servers.nats.kill(),
      servers.redis.kill(),
    ]);
    for (const server of [servers.postgres, servers.nats, servers.redis]) await servers.restart(server);
    await Promise.all((['gateway', 'worker', 'task-store', 'webhook-dispatcher'] as const).map((name) => stack.restart(name)));
    const back = Date.now();
    await nothingLost(stack, 60_000);
    figure('all over after, s', secondsSince(back));
    expect(await stack.credits(tenant.accountId)).toMatchObject({ reserved: 0, charged: 500 });
  },
  TEST_MS,
);
