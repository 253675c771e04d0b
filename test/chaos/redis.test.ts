import { beforeEach, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { Load, statusesOf } from '../load.js';
import { nothingLost } from '../nothing-lost.js';
import { OwnServers } from '../own-servers.js';
import { type Tenant, useStack } from '../stack.js';
import { figure, percentile, secondsSince } from './figures.js';

const TEST_MS = 120_000;
/** A command that gets no answer is given up after half a second; then nothing waits for Redis any more. */
const BLOCKED_MAX_MS = 1000;

const servers = new OwnServers();
const stack = useStack({ servers });
let tenant: Tenant;
beforeEach(async () => void (tenant = await stack.tenant({ rate: 10_000, concurrency: 50 })));

const unavailable = async (): Promise<number> =>
  Number(/^redis_unavailable_total\S* (\d+)/m.exec(await (await fetch(`${stack.healthUrl('gateway')}/metrics`)).text())?.[1] ?? 0);
const limited = async (): Promise<boolean> => (await tenant.ask()).headers.get('x-concurrent-limit') === '50';

test.each([
  ['kill -9', () => servers.redis.kill(), () => servers.restart(servers.redis)],
  ['SIGSTOP for 10 s', async () => servers.redis.freeze(), async () => servers.redis.goOn()],
] as const)(
  '%s of Redis under load: every request is answered, none is limited or held up, a metric counts, and limits are back within 15 s',
  async (_what, harm, heal) => {
    const before = await unavailable();
    const load = new Load(tenant, { name: `redis${Date.now()}`, perSecond: 40, syncEvery: 4 });
    await until('some to be answered', () => load.calls.length > 40);
    await harm();
    const harmed = Date.now();
    await until('ten seconds without it', () => secondsSince(harmed) > 10);
    await heal();
    const back = Date.now();
    await until('limits to be back', limited, 15_000);
    figure('limits back after, s', secondsSince(back));
    const calls = await load.end();
    expect(Object.keys(statusesOf(calls)).sort()).toEqual(['200', '202']);
    const tasks = calls.filter(({ kind }) => kind === 'task').map(({ ms }) => ms);
    expect(percentile(tasks, 99)).toBeLessThan(BLOCKED_MAX_MS);
    expect(await unavailable()).toBeGreaterThan(before);
    figure('creation p50 and p99, ms', `${Math.round(percentile(tasks, 50))} and ${Math.round(percentile(tasks, 99))}`);
    await nothingLost(stack);
  },
  TEST_MS,
);

test(
  'FLUSHALL with 20 requests open: none fails, and their slots are taken again within 6 s',
  async () => {
    const open = Array.from({ length: 20 }, (_none, index) => tenant.ask({ prompt: `Open ${index}? #delay=12s` }));
    const used = async (): Promise<number> => (await tenant.get('/v1/async/status')).body.concurrency.used;
    await until('all to be open', async () => (await used()) === 20);
    await servers.flushRedis();
    const flushed = Date.now();
    await until('the slots to be taken again', async () => (await used()) === 20, 6000);
    figure('slots back after, s', secondsSince(flushed));
    expect((await Promise.all(open)).map(({ status }) => status)).toEqual(open.map(() => 200));
    await until('the slots to be free', async () => (await used()) === 0, 2000);
    await nothingLost(stack);
  },
  TEST_MS,
);
