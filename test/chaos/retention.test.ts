import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { sql } from 'kysely';
import { Load, statusesOf } from '../load.js';
import { useStack } from '../stack.js';
import { dumpOf, formsOf, messagesOf, PG_DUMP } from './dump.js';
import { figure, percentile, secondsSince } from './figures.js';

const RETENTION_MS = 8000;
const SWEPT_WITHIN_MS = 10_000;
const MILLION = 1_000_000;
const CHUNK = 100_000;
const TEST_MS = 600_000;

const stack = useStack({
  services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'],
  env: { TASK_RETENTION: `${RETENTION_MS}ms`, HTML_RETENTION: `${RETENTION_MS}ms` },
});

(PG_DUMP ? test : test.skip)(
  'after its time nothing of an answer is left in a dump, on the bus or in the object stores, and nobody can read it (needs pg_dump)',
  async () => {
    const tenant = await stack.tenant();
    const include = { html: true, markdown: true, rawResponse: true };
    const asked = await tenant.ask({ prompt: 'Which mug? #large=1mb', include });
    const { taskId } = (await tenant.create({ payload: { prompt: 'Which kettle?', include }, webhook: { url: `${stack.sandboxUrl}/_inbox/retained` } })).body;
    const read = (await tenant.over(taskId)).body;
    await until('its delivery', async () => ((await (await fetch(`${stack.sandboxUrl}/_inbox/retained`)).json()) as unknown[]).length > 0);
    const pages = [asked.body.result.html, read.response.html] as string[];
    const urls = [...asked.body.result.sources, ...read.response.sources].map(({ url }: { url: string }) => url);
    const marks = [...new Set([...urls, ...pages.map((page) => page.slice(page.lastIndexOf('/') + 1))])];
    expect(marks.length).toBeGreaterThan(4);
    const leftIn = (text: string): string[] => marks.filter((mark) => formsOf(mark).some((form) => text.includes(form)));
    expect(leftIn(await dumpOf(stack)).length).toBeGreaterThan(4);

    const ids = [taskId, asked.headers.get('x-request-id') ?? ''];
    await until('both to expire', async () => (await Promise.all(ids.map((id) => tenant.read(id)))).every(({ status }) => status === 404));
    for (const page of pages) expect((await fetch(page)).status).toBe(404);
    await until('the dump to be clean', async () => leftIn(await dumpOf(stack)).length === 0, SWEPT_WITHIN_MS);
    const messages = await messagesOf(stack.bus);
    // Pages are refused from their expiry on; the bucket drops their bytes an hour later at the latest.
    const { config } = await stack.bus.manager.streams.info(`OBJ_${stack.bus.names.bucket('html')}`);
    expect(config.max_age / 1_000_000).toBeLessThanOrEqual(RETENTION_MS + 3_600_000);
    expect(leftIn(messages.filter((message) => !message.startsWith(`OBJ_${stack.bus.names.bucket('html')}`)).join('\n'))).toEqual([]);
    const request = () => stack.database.selectFrom('requests').select(['payload', 'webhook_url']).where('id', '=', taskId).executeTakeFirstOrThrow();
    await until(
      'the log to keep neither what was asked nor where it went',
      async () => Object.values(await request()).every((value) => value === null),
      SWEPT_WITHIN_MS,
    );
  },
  TEST_MS,
);

test(
  'a million tasks that expire at once are cleared away without anybody noticing',
  async () => {
    const tenant = await stack.tenant({ rate: 10_000, concurrency: 200 });
    const { accountId } = await stack.tenant();
    const p99 = async (name: string, during: () => Promise<unknown>): Promise<number> => {
      const load = new Load(tenant, { name, perSecond: 20, syncEvery: 4 });
      await during();
      const calls = await load.end();
      expect(Object.keys(statusesOf(calls)).sort()).toEqual(['200', '202']);
      return percentile(
        calls.map(({ ms }) => ms),
        99,
      );
    };
    const before = await p99('before', () => sleep(10_000));
    // While nobody clears away.
    for (const service of ['gateway', 'task-store'] as const) await stack.end(service);
    for (let from = 0; from < MILLION; from += CHUNK) await insertExpired(accountId, from);
    for (const service of ['task-store', 'gateway'] as const) await stack.restart(service);
    const began = Date.now();
    const isLeft = async (): Promise<boolean> => {
      const { rows } = await sql<{ left: boolean }>`
        select exists (select from tasks where account_id = ${accountId}) or exists (select from requests where account_id = ${accountId} and payload is not null) as left`.execute(
        stack.database,
      );
      return rows[0]?.left === true;
    };
    const during = await p99('during', async () => {
      for (const end = Date.now() + 300_000; await isLeft(); await sleep(1000)) expect(Date.now()).toBeLessThan(end);
      await sleep(Math.max(0, began + 10_000 - Date.now()));
    });
    figure('p99 before and during, ms', `${Math.round(before)} and ${Math.round(during)}`);
    figure('cleared away after, s', secondsSince(began));
    expect(during).toBeLessThan(Math.max(1000, 5 * before));
    await sql`delete from requests where account_id = ${accountId}`.execute(stack.database);
    await until('the load to be settled', async () => (await stack.credits(tenant.accountId)).reserved === 0);
  },
  TEST_MS,
);

/** Tasks of an hour ago that have just expired, and their requests. */
const insertExpired = (accountId: string, from: number) =>
  sql`
    with new as (
      select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7' || substr(md5((${from}::int + n)::text), 1, 3) || 'a' || substr(md5((${from}::int + n)::text), 4, 15))::uuid as id
      from generate_series(1, ${CHUNK}::int) n
    ), asked as (
      insert into requests (id, account_id, key_id, test, provider, mode, priority, payload, credits_to_charge, credits_charged, state, status_code, publish_count, published_at, published_seq, completed_at)
      select id, ${accountId}, ${accountId}, false, 'ANY', 'async', 1, '{}', 0, 0, 'settled', 200, 1, now(), 1, now() - interval '1 hour' from new
    )
    insert into tasks (id, account_id, provider, status, claims, attempts, started_at, completed_at, expires_at, charge, status_code, route, response, quality, timings)
    select id, ${accountId}, 'ANY', 'COMPLETED', 1, 1, now(), now() - interval '1 hour', now(), true, 200, 'sandbox', repeat('x', 500), '{}', '{}' from new`.execute(
    stack.database,
  );
