import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Failpoint } from '@overheard/runtime';
import { until } from '@overheard/testing';
import { figure } from './chaos/figures.js';
import { nothingLost } from './nothing-lost.js';
import { type ServiceName, type Tenant, useStack } from './stack.js';

/** After a `kill -9`, wherever it hits, its tasks are over within this time: 30 s until another one gets the message, and the rest. */
const OVER_WITHIN_MS = 45_000;
const CRASHES_WITHIN_MS = 120_000;

interface Crash {
  taskId: string;
  /** How the creation was answered, if it was. */
  status: number | undefined;
  at: number;
}

const stack = useStack({ services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'] });
const crashes = new Map<Failpoint, Crash>();
let tenant: Tenant;

// One after the other; what they leave undone is waited for together. Those that are made good soonest come first, so that none meets the next.
beforeAll(async () => {
  tenant = await stack.tenant();
  for (const failpoint of ['webhook-dispatcher.sent', 'gateway.admitted', 'task-store.claimed'] as const) {
    await crash(failpoint);
    await over(failpoint);
  }
  for (const failpoint of ['gateway.settled', 'task-store.recorded', 'worker.published', 'worker.answered'] as const) await crash(failpoint);
}, CRASHES_WITHIN_MS);

/** Kills a service at a failpoint by a task of that name, and starts it again. */
async function crash(failpoint: Failpoint): Promise<void> {
  const service = failpoint.split('.')[0] as ServiceName;
  await stack.kill(service);
  await stack.restart(service, { FAILPOINT: `${failpoint}:kill` });
  const created = creation(failpoint).catch(() => undefined);
  await stack.service(service).died();
  const at = Date.now();
  const reply = await created;
  await stack.restart(service);
  // Whoever got no answer asks again with the same key, and is told which task that is.
  const taskId = reply?.body.taskId ?? (await creation(failpoint)).body.error.details.taskId;
  crashes.set(failpoint, { taskId, status: reply?.status, at });
}

const nonceOf = (failpoint: Failpoint): string => failpoint.replace('.', '-');

const creation = (failpoint: Failpoint) =>
  tenant.create({
    payload: { prompt: `What now? #nonce=${nonceOf(failpoint)}` },
    idempotencyKey: failpoint,
    webhook: { url: `${stack.sandboxUrl}/_inbox/${failpoint}` },
  });

async function over(failpoint: Failpoint) {
  const { taskId = '', at = 0 } = crashes.get(failpoint) ?? {};
  // One that was over long ago is only read.
  return (await tenant.over(taskId, Math.max(1000, at + OVER_WITHIN_MS - Date.now()))).body;
}

const calls = async (failpoint: Failpoint): Promise<number> => (await stack.calls(nonceOf(failpoint))).length;
const deliveries = async (failpoint: Failpoint): Promise<{ at: string; headers: Record<string, string>; body: string }[]> =>
  (await fetch(`${stack.sandboxUrl}/_inbox/${failpoint}`)).json() as never;
const delivered = (failpoint: Failpoint, times = 1) =>
  until(`${times} deliveries`, async () => {
    const hits = await deliveries(failpoint);
    return hits.length >= times && hits;
  });

describe.each([
  ['gateway.admitted', 1, 1],
  ['gateway.settled', 1, 1],
  ['worker.answered', 2, 1],
  ['worker.published', 1, 1],
  ['task-store.claimed', 1, 1],
  ['task-store.recorded', 1, 1],
  ['webhook-dispatcher.sent', 1, 2],
] as const)('kill -9 at %s', (failpoint, callsWanted, deliveriesWanted) => {
  test(`ends the task within 45 s, charged once, with ${callsWanted} upstream calls and ${deliveriesWanted} deliveries`, async () => {
    expect(await over(failpoint)).toMatchObject({ task: { status: 'COMPLETED' }, credits: { creditsCharged: 5 } });
    const last = (await delivered(failpoint, deliveriesWanted)).at(-1);
    figure('delivered after, s', (Date.parse(last?.at ?? '') - (crashes.get(failpoint)?.at ?? 0)) / 1000);
    expect([crashes.get(failpoint)?.status, await calls(failpoint)]).toEqual([failpoint === 'gateway.admitted' ? undefined : 202, callsWanted]);
  }, 90_000);
});

test('a delivery that was sent and not written down is sent again as the next attempt of the same delivery', async () => {
  const [first, second] = await delivered('webhook-dispatcher.sent', 2);
  const ids = [first, second].map((delivery) => delivery?.headers['webhook-id']);
  expect([ids[1], second?.body]).toEqual([ids[0], first?.body]);
});

test('once every message that was held has come again, nothing was done twice', async () => {
  const names = stack.bus.names;
  await until('the lanes to be empty', async () => (await stack.bus.manager.streams.info(names.stream('WORK'))).state.messages === 0, OVER_WITHIN_MS);
  await nothingLost(stack);
  expect((await stack.credits(tenant.accountId)).charged).toBe(crashes.size * 5);
  for (const failpoint of crashes.keys()) {
    expect([failpoint, await calls(failpoint)]).toEqual([failpoint, failpoint === 'worker.answered' ? 2 : 1]);
    expect([failpoint, (await deliveries(failpoint)).length]).toEqual([failpoint, failpoint === 'webhook-dispatcher.sent' ? 2 : 1]);
  }
}, 90_000);
