import { beforeAll, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { never } from '../../../../test/stand-in-worker.js';
import { type Tenant, useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway', 'task-store'] });
// Whatever is asked stays at work.
beforeAll(() => stack.work(never));

const slotsOf = async (tenant: Tenant) => (await tenant.get('/v1/async/status')).body.concurrency;

/** A request that stays open until it is left. */
function occupy(tenant: Tenant): () => void {
  const controller = new AbortController();
  void tenant.send('POST', '/v1/monitor/chatgpt', { body: { prompt: 'Stay', country: 'US' }, signal: controller.signal }).catch(() => undefined);
  return () => controller.abort();
}

test('as many requests as the plan says run at once; one more is told to come again, and everything else goes on', async () => {
  const tenant = await stack.tenant({ concurrency: 2, credits: 1000 });
  const leave = [occupy(tenant), occupy(tenant)];
  await until('both slots to be taken', async () => (await slotsOf(tenant)).used === 2);
  expect(await slotsOf(tenant)).toEqual({ used: 2, max: 2 });

  const { status, headers, body } = await tenant.ask();
  expect([status, body]).toEqual([
    429,
    { error: { code: 'CONCURRENT_LIMIT_EXCEEDED', message: 'Concurrent limit exceeded', details: { limit: 2 }, timestamp: expect.any(String) } },
  ]);
  expect(['retry-after', 'x-concurrent-limit', 'x-concurrent-current', 'x-concurrent-remaining'].map((name) => headers.get(name))).toEqual([
    '1',
    '2',
    '2',
    '0',
  ]);
  expect((await stack.credits(tenant.accountId)).reserved).toBe(10);
  await until('the refusal to be logged', async () =>
    (await stack.requestLog(tenant.accountId)).some(({ statusCode, creditsCharged }) => statusCode === 429 && creditsCharged === 0),
  );

  // What is wrong with a request comes first; tasks and other accounts have slots of their own, or none.
  expect((await tenant.ask({ prompt: '' })).status).toBe(400);
  expect((await tenant.create()).status).toBe(202);
  expect((await slotsOf(await stack.tenant({ concurrency: 2 }))).used).toBe(0);
  // Test keys of the account have the same slots.
  expect((await (await stack.anotherKey(tenant.accountId, { test: true })).ask()).status).toBe(429);

  leave.forEach((go) => go());
  await until('the slots to be free', async () => (await slotsOf(tenant)).used === 0);
});

test('a client that leaves frees its slot within a second, though its run goes on', async () => {
  const tenant = await stack.tenant({ concurrency: 1 });
  const leave = occupy(tenant);
  await until(
    'the run to be at work',
    async () => (await stack.database.selectFrom('tasks').select('id').where('account_id', '=', tenant.accountId).execute()).length === 1,
  );
  leave();
  const leftAt = Date.now();
  let lastTaken = leftAt;
  await until('the slot to be free', async () => {
    const began = Date.now();
    const { used } = await slotsOf(tenant);
    if (used > 0) lastTaken = began;
    return used === 0;
  });
  expect(lastTaken - leftAt).toBeLessThan(1000);
  expect((await stack.credits(tenant.accountId)).reserved).toBe(5);
});

test('a slot is free again after every refusal', async () => {
  const tenant = await stack.tenant({ concurrency: 1, credits: 0 });
  for (let turn = 0; turn < 3; turn += 1) expect((await tenant.ask()).status).toBe(403);
  expect(await slotsOf(tenant)).toEqual({ used: 0, max: 1 });
});

test('the slots of a gateway that died free themselves within half a minute', async () => {
  const tenant = await stack.tenant({ concurrency: 1 });
  occupy(tenant);
  await until('the slot to be taken', async () => (await slotsOf(tenant)).used === 1);
  await stack.kill('gateway');
  const diedAt = Date.now();
  await stack.restart('gateway');
  expect((await slotsOf(tenant)).used).toBe(1);
  await until('the slot to be free', async () => (await slotsOf(tenant)).used === 0, 40_000);
  expect(Date.now() - diedAt).toBeLessThan(30_000);
});
