import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { type Tenant, useStack } from '../../../test/stack.js';
import { ROUTES } from '../src/api.js';
import { firstIdOf } from '../src/requests/filters.js';
import { personIn, type Visitor } from './visitor.js';

const stack = useStack({ services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'dashboard', 'sandbox'], cuttable: true });
let tenant: Tenant;
let viewer: Visitor;
let stranger: Visitor;
beforeAll(async () => {
  tenant = await stack.tenant({}, { name: 'their key' });
  viewer = await personIn(stack, tenant.accountId, 'viewer');
  stranger = await personIn(stack, (await stack.tenant({ credits: 5 })).accountId, 'viewer');
});

/** Requests that are over, as they stand in the log. */
async function over(
  count: number,
  { provider = 'GEMINI', country = 'US', status_code = 200, latency = (_index: number): number => 1000, test: isTest = false } = {},
): Promise<string[]> {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: `${firstIdOf(Date.now() - 1000 * (index + 1)).slice(0, 14)}7${randomUUID().slice(15)}`,
    ...{
      account_id: tenant.accountId,
      key_id: tenant.keyId,
      test: isTest,
      mode: 'sync' as const,
      state: 'settled' as const,
      prompt: 'hello',
      provider,
      country,
    },
    ...{ status_code, latency_ms: latency(index), credits_to_charge: 4, credits_charged: 4, completed_at: new Date() },
  }));
  await stack.database.insertInto('requests').values(rows).execute();
  return rows.map(({ id }) => id);
}

describe('the queue', () => {
  test('counts what waits and what is at work by provider and priority, and knows the oldest', async () => {
    const made = new Date(Date.now() - 60_000);
    const open = (priority: number, provider: string) => ({
      id: `${firstIdOf(made.getTime()).slice(0, 14)}7${randomUUID().slice(15)}`,
      ...{
        account_id: tenant.accountId,
        key_id: tenant.keyId,
        test: false,
        mode: 'async' as const,
        state: 'open' as const,
        priority,
        provider,
        created_at: made,
      },
      ...{ status_code: 202, credits_to_charge: 0, published_at: made, published_seq: 1, prompt: 'hello', country: 'US', payload: '{}' },
    });
    // Of a provider that nobody serves here.
    const rows = [open(1, 'GROK'), open(1, 'GROK'), open(7, 'GROK'), open(1, 'COPILOT')];
    await stack.database.insertInto('requests').values(rows).execute();
    await stack.database
      .insertInto('tasks')
      .values({
        id: rows[0]?.id ?? '',
        account_id: tenant.accountId,
        provider: 'GROK',
        status: 'PROCESSING',
        claims: 1,
        deadline_at: new Date(Date.now() + 600_000),
      })
      .execute();
    const { body } = await viewer.get(ROUTES.queue);
    const oldestAt = made.toISOString();
    expect(body.outstanding).toEqual([
      { provider: 'GROK', priority: 7, waiting: 1, processing: 0, oldestAt },
      { provider: 'COPILOT', priority: 1, waiting: 1, processing: 0, oldestAt },
      { provider: 'GROK', priority: 1, waiting: 1, processing: 1, oldestAt },
    ]);
    expect(body.oldestAt).toBe(oldestAt);
    expect((await stranger.get(ROUTES.queue)).body).toMatchObject({ outstanding: [], oldestAt: null });
    await stack.database
      .deleteFrom('requests')
      .where(
        'id',
        'in',
        rows.map(({ id }) => id),
      )
      .execute();
  });

  test('names the workers that are alive, and what they serve', async () => {
    const { body } = await viewer.get(ROUTES.queue);
    expect(body.workers).toEqual([
      { id: expect.any(String), since: expect.any(String), providers: [{ provider: 'CHATGPT', upstream: 'sandbox', slots: 100, running: 0 }] },
    ]);
  });
});

describe('usage', () => {
  test('adds up credits by day, provider and key, with what is left', async () => {
    const asked = await tenant.ask();
    expect(asked.status).toBe(200);
    const { body } = await viewer.get(ROUTES.usage);
    expect(body.credits).toEqual(await stack.credits(tenant.accountId));
    expect(body.days).toEqual([{ day: body.to, provider: 'CHATGPT', completed: 1, failed: 0, credits: 5 }]);
    expect(body.keys).toEqual([{ key: { id: tenant.keyId, name: 'their key', person: null }, completed: 1, failed: 0, credits: 5 }]);
    expect((Date.parse(body.to) - Date.parse(body.from)) / 86_400_000).toBe(29);
    expect((await stranger.get(ROUTES.usage)).body).toMatchObject({ credits: { balance: 5 }, days: [], keys: [] });
  });

  test.each(['from=2026-13-01', 'from=yesterday', 'from=2026-02-02&to=2026-02-01', 'from=2020-01-01&to=2026-01-01'])('of %s is refused', async (query) => {
    expect((await viewer.get(`${ROUTES.usage}?${query}`)).status).toBe(400);
    expect((await viewer.get(`${ROUTES.performance}?${query}`)).status).toBe(400);
  });
});

describe('performance', () => {
  test('is the share of successes and the latencies of each provider and country; tests and what was canceled do not count', async () => {
    await over(100, { latency: (index) => (index + 1) * 10 });
    await over(10, { country: 'DE', status_code: 502 });
    await over(5, { country: 'DE', status_code: 499 });
    await over(5, { test: true });
    const { body } = await viewer.get(ROUTES.performance);
    expect([body.isPartial, (Date.parse(body.to) - Date.parse(body.from)) / 86_400_000]).toEqual([false, 6]);
    expect(body.providers.find(({ provider }: { provider: string }) => provider === 'GEMINI')).toEqual({
      provider: 'GEMINI',
      ok: 100,
      failed: 10,
      p50: 505,
      p95: 951,
      p99: 990,
    });
    expect(body.countries.filter(({ provider }: { provider: string }) => provider === 'GEMINI')).toEqual([
      { provider: 'GEMINI', country: 'DE', ok: 0, failed: 10, p50: null, p95: null, p99: null },
      { provider: 'GEMINI', country: 'US', ok: 100, failed: 0, p50: 505, p95: 951, p99: 990 },
    ]);
    const tasks = (await viewer.get(`${ROUTES.performance}?mode=async`)).body;
    expect([tasks.providers, (await stranger.get(ROUTES.performance)).body.providers]).toEqual([[], []]);
  });
});

describe('the status', () => {
  test('names what is reached, every service that is up, and of each provider the upstream and the last error', async () => {
    const failed = (await tenant.ask({ prompt: '#badkey hello' })).headers.get('x-request-id');
    const { body } = await viewer.get(ROUTES.status);
    expect(body.dependencies).toEqual(['PostgreSQL', 'NATS', 'API'].map((name) => ({ name, isUp: true, ms: expect.any(Number), problem: null })));
    expect(body.services.map(({ name, instances }: { name: string; instances: unknown[] }) => [name, instances.length])).toEqual(
      ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'dashboard'].map((name) => [name, 1]),
    );
    const byId = Object.fromEntries(body.providers.map((one: { provider: string }) => [one.provider, one]));
    expect(byId.CHATGPT).toMatchObject({
      label: 'ChatGPT',
      upstream: 'sandbox',
      workers: 1,
      lastOkAt: expect.any(String),
      lastError: { requestId: failed, reason: 'rejected_credentials', message: expect.stringContaining('External service error') },
    });
    expect(byId.GROK).toMatchObject({ upstream: null, workers: 0, lastOkAt: null, lastError: null });
    const others = (await stranger.get(ROUTES.status)).body.providers.find(({ provider }: { provider: string }) => provider === 'CHATGPT');
    expect(others).toMatchObject({ upstream: 'sandbox', lastError: null, lastOkAt: null });
  });

  test('shows a service that is gone, and that nobody can tell while the bus is away', async () => {
    await stack.kill('task-store');
    const { body } = await viewer.get(ROUTES.status);
    expect(body.services.find(({ name }: { name: string }) => name === 'task-store').instances).toEqual([]);
    await stack.restart('task-store');
    await stack.cut('NATS_URL');
    const cut = await until('the dashboard to notice', async () => {
      const answer = (await viewer.get(ROUTES.status)).body;
      return answer.services === null && answer;
    });
    expect([cut.dependencies[1].isUp, (await viewer.get(ROUTES.queue)).body.workers]).toEqual([false, null]);
    await stack.mend('NATS_URL');
    await until('the bus to be back', async () => (await viewer.get(ROUTES.status)).body.services !== null);
  });
});
