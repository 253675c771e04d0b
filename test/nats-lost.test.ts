import { rmSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { sql } from 'kysely';
import { figure, percentile, secondsSince } from './chaos/figures.js';
import { flows, Load, statusesOf } from './load.js';
import { nothingLost } from './nothing-lost.js';
import { OwnServers } from './own-servers.js';
import { type Tenant, useStack } from './stack.js';

const ANSWER_WITHIN_MS = 5500;
/** A minute until a publication counts as lost, a sweep's turn, and the work. */
const REPAIRED_WITHIN_MS = 100_000;
const TEST_MS = 180_000;

const servers = new OwnServers();
const stack = useStack({ servers, services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'] });
let tenant: Tenant;
beforeAll(async () => {
  tenant = await stack.tenant({ rate: 10_000, concurrency: 200 });
  // It would make the streams anew itself.
  await stack.bus.close();
});

test(
  'kill -9 of NATS under load loses nothing: tasks are accepted meanwhile, synchronous requests get their error in time, and all flows again within 15 s',
  async () => {
    const load = new Load(tenant, {
      name: 'killed',
      perSecond: 60,
      syncEvery: 6,
      words: '#delay=200ms',
      webhook: (nonce) => `${stack.sandboxUrl}/_inbox/${nonce}`,
    });
    await until('some to be answered', () => load.calls.length > 60);
    await servers.nats.kill();
    const before = load.calls.length;
    await until('some to be answered without NATS', () => load.calls.length > before + 150);
    await servers.restart(servers.nats);
    const back = Date.now();
    figure('flows again after, s', await flows(tenant));
    const calls = await load.end();
    const tasks = calls.filter(({ kind }) => kind === 'task');
    expect(statusesOf(tasks)).toEqual({ 202: tasks.length });
    const refused = calls.filter(({ reply }) => reply?.status === 500);
    expect(refused.length).toBeGreaterThan(0);
    expect(Object.keys(statusesOf(calls.filter(({ kind }) => kind === 'sync'))).sort()).toEqual(['200', '500']);
    expect(Math.max(...tasks.concat(refused).map(({ ms }) => ms))).toBeLessThan(ANSWER_WITHIN_MS);
    await nothingLost(stack, REPAIRED_WITHIN_MS);
    figure('all over after, s', secondsSince(back));
    figure('tasks accepted', tasks.length);
    figure('synchronous requests refused', refused.length);
    figure(
      'creation p99, ms',
      percentile(
        tasks.map(({ ms }) => ms),
        99,
      ),
    );
    for (const { reply, kind } of calls) if (kind === 'task') expect((await tenant.read(reply?.body.taskId)).body.task.status).toBe('COMPLETED');
  },
  TEST_MS,
);

test(
  'JetStream’s whole folder deleted with a hundred tasks queued: all are done, each is asked once, and pages and large answers have a place again',
  async () => {
    stack.service('worker').freeze();
    const nonces = Array.from({ length: 100 }, (_none, index) => `deleted-${index}`);
    const replies = await Promise.all(
      nonces.map((nonce, index) =>
        tenant.create({
          priority: (index % 10) + 1,
          payload: { prompt: `Still there? #nonce=${nonce}${index === 0 ? ' #large=1mb' : ''}`, include: { html: index < 10, rawResponse: index === 0 } },
        }),
      ),
    );
    const published = async () =>
      (await sql<{ left: number }>`select count(*) as left from requests where state = 'open' and published_at is null`.execute(stack.database)).rows[0]
        ?.left === 0;
    await until('all to be published', published);
    await servers.nats.kill();
    rmSync(servers.natsStore, { recursive: true });
    await servers.restart(servers.nats);
    const back = Date.now();
    stack.service('worker').goOn();
    figure('flows again after, s', await flows(tenant));
    for (const { body } of replies)
      expect((await tenant.over(body.taskId, back + REPAIRED_WITHIN_MS - Date.now())).body).toMatchObject({ task: { status: 'COMPLETED' }, credits: {} });
    figure('all over after, s', secondsSince(back));
    await nothingLost(stack);
    for (const nonce of nonces) expect([nonce, (await stack.calls(nonce)).length]).toEqual([nonce, 1]);
    const html = (await tenant.read(replies[1]?.body.taskId)).body.response.html;
    expect((await fetch(html)).status).toBe(200);
  },
  TEST_MS,
);
