import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@overheard/testing';
import { sql } from 'kysely';
import {
  accountOf,
  admit,
  anAccount,
  type Asked,
  asked,
  DAY_MS,
  markPublished,
  type Outcome,
  partitionAt,
  settle,
  uuidAt,
  wrongSums,
} from './moving-credits.js';
import type { Database } from '@overheard/database';

let tested: TestDatabase;
let database: Database;
beforeAll(async () => {
  tested = await createTestDatabase();
  ({ database } = tested);
});
afterEach(async () => expect(await wrongSums(database)).toEqual([]));
afterAll(() => tested.drop());

/** An account of 100 credits with one request of 5 at work. */
async function atWork(rest: Partial<Asked> = {}): Promise<{ account: string; id: string }> {
  const account = await anAccount(database, 100);
  const request = asked(account, rest);
  await admit(database, [request]);
  return { account, id: request.id };
}

const requestOf = (id: string) => database.selectFrom('requests').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const usageOf = (account: string) =>
  database.selectFrom('usage_daily').select(['completed', 'failed', 'credits_charged']).where('account_id', '=', account).execute();

test.each([
  { what: 'empty', requests: 0, analyzed: false },
  { what: 'empty, and analyzed so', requests: 0, analyzed: true },
  { what: 'analyzed with few requests', requests: 60, analyzed: true },
])('plans that were made while the log was $what read hardly a row once it is full', async ({ requests, analyzed }) => {
  const fresh = await createTestDatabase();
  try {
    const account = await anAccount(fresh.database, 100_000);
    await admit(
      fresh.database,
      Array.from({ length: requests }, () => asked(account)),
    );
    if (analyzed) await sql`analyze`.execute(fresh.database);
    await fresh.database.transaction().execute(async (transaction) => {
      const admitAndSettle = async () => {
        const request = asked(account);
        await admit(transaction, [request]);
        await markPublished(transaction, [request]);
        await settle(transaction, [{ id: request.id, status: 'COMPLETED', charge: true }]);
      };
      // PostgreSQL keeps the plans of admission from the sixth time on.
      for (let time = 0; time < 10; time += 1) await admitAndSettle();
      const many = Array.from({ length: 1000 }, () => asked(account));
      await admit(transaction, many);
      const before = await readOfLog(transaction);
      await admitAndSettle();
      const after = await readOfLog(transaction);
      expect(after.rows - before.rows).toBeLessThan(50);
      expect(after.scansByAccount - before.scansByAccount).toBe(0);
    });
  } finally {
    await fresh.drop();
  }
});

test('settlements and marks look at the days of their requests alone, by their indexes', async () => {
  const account = await anAccount(database, 100_000);
  const at = Date.now();
  const [day, nextDay] = [at, at + DAY_MS].map(partitionAt);
  const atOnce = [at, at, at + DAY_MS].map((ms) => asked(account, { id: uuidAt(ms) }));
  await admit(database, atOnce);
  await database.transaction().execute(async (transaction) => {
    // What the connection did before may still be in its counts.
    const before = await scansByDay(transaction);
    const scanned = async () => {
      const counts = await scansByDay(transaction);
      return counts
        .map((one, index) => ({ ...one, sequential: one.sequential - (before[index]?.sequential ?? 0), all: one.all - (before[index]?.all ?? 0) }))
        .filter(({ all }) => all > 0);
    };
    for (const { id } of atOnce.slice(0, 2)) {
      await markPublished(transaction, [{ id }]);
      await settle(transaction, [{ id, status: 'COMPLETED', charge: true }]);
    }
    expect(await scanned()).toMatchObject([{ day, sequential: 0 }]);
    await settle(
      transaction,
      atOnce.map(({ id }) => ({ id, status: 'COMPLETED', charge: true })),
    );
    expect(await scanned()).toMatchObject([
      { day, sequential: 0 },
      { day: nextDay, sequential: 0 },
    ]);
  });
});

/** How often a transaction has looked at each day of the request log. */
async function scansByDay(transaction: Database): Promise<{ day: string; sequential: number; all: number }[]> {
  const { rows } = await sql<{ day: string; sequential: number; all: number }>`
    select relname as day, seq_scan as sequential, seq_scan + idx_scan as all from pg_stat_xact_user_tables where relname like 'requests_%' order by relname`.execute(
    transaction,
  );
  return rows;
}

/** What a transaction has read of the request log, and how often by the index that is not made for ids. */
async function readOfLog(transaction: Database): Promise<{ rows: number; scansByAccount: number }> {
  const { rows } = await sql<{ rows: number; scansByAccount: number }>`
    select sum(pg_stat_get_xact_tuples_returned(oid)) as rows,
      sum(pg_stat_get_xact_numscans(oid)) filter (where relname like '%account_id%') as "scansByAccount"
    from pg_class where relname like 'requests_%'`.execute(transaction);
  return rows[0] ?? { rows: NaN, scansByAccount: NaN };
}

describe('an outcome', () => {
  test.each<[string, Omit<Outcome, 'id'>, object, string, object[]]>([
    [
      'COMPLETED charges the hold',
      { status: 'COMPLETED', charge: true },
      { balance: 95, charged: 5 },
      'settled',
      [{ completed: 1, failed: 0, credits_charged: 5 }],
    ],
    ['FAILED releases it', { status: 'FAILED', charge: false }, { balance: 100, charged: 0 }, 'settled', [{ completed: 0, failed: 1, credits_charged: 0 }]],
    [
      'FAILED after its run was cancelled charges it',
      { status: 'FAILED', charge: true },
      { balance: 95, charged: 5 },
      'settled',
      [{ completed: 0, failed: 1, credits_charged: 5 }],
    ],
    ['REFUSED releases it, and it was no work of the account', { status: 'REFUSED', charge: false }, { balance: 100, charged: 0 }, 'refused', []],
  ])('%s', async (_what, outcome, credits, state, usage) => {
    const { account, id } = await atWork();
    const [settled] = await settle(database, [{ id, ...outcome }]);
    expect(settled).toMatchObject({ id, credits_charged: outcome.charge ? 5 : 0, balance: outcome.charge ? 95 : 100 });
    expect(await accountOf(database, account)).toMatchObject({ reserved: 0, outstanding: 0, ...credits });
    expect(await requestOf(id)).toMatchObject({ state, status_code: outcome.status === 'COMPLETED' ? 200 : 502 });
    expect(await usageOf(account)).toEqual(usage);
  });

  test('comes back with whether somebody wants to be told of it', async () => {
    const [plain, hooked] = [await atWork(), await atWork({ webhook_url: 'https://receiver.example/' })];
    const rows = await settle(
      database,
      [plain, hooked].map(({ id }) => ({ id, status: 'COMPLETED', charge: true })),
    );
    expect(new Map(rows.map((row) => [row.id, row.has_webhook]))).toEqual(
      new Map([
        [plain.id, false],
        [hooked.id, true],
      ]),
    );
  });

  test('of a task says that it was published, though the mark comes later and knows better when', async () => {
    const [{ id }, refused] = [await atWork(), await atWork()];
    await settle(database, [
      { id, status: 'COMPLETED', charge: true },
      { id: refused.id, status: 'REFUSED', charge: false },
    ]);
    const { created_at, published_at } = await requestOf(id);
    expect([published_at, (await requestOf(refused.id)).published_at]).toEqual([created_at, null]);
    const mark = async (at: number) => {
      await markPublished(database, [{ id, seq: 7, at }]);
      return requestOf(id);
    };
    const at = new Date(Math.min(Date.now(), created_at.getTime() + 2));
    expect(await mark(at.getTime())).toMatchObject({ published_at: at, published_seq: 7 });
    // A gateway's clock may be wrong: nothing is published before it was accepted.
    expect((await mark(0)).published_at).toEqual(created_at);
  });

  test('charges once, however often and in whatever form it comes', async () => {
    const { account, id } = await atWork();
    const paid = { id, status: 'COMPLETED', charge: true } as const;
    const free = { id, status: 'FAILED', charge: false } as const;
    await settle(database, [paid, paid]);
    await Promise.all(Array.from({ length: 50 }, (_none, index) => settle(database, [index % 2 ? paid : free])));
    expect(await settle(database, [free])).toMatchObject([{ id, credits_charged: 5, balance: 95 }]);
    expect(await accountOf(database, account)).toMatchObject({ balance: 95, reserved: 0, charged: 5, outstanding: 0 });
    expect(await usageOf(account)).toEqual([{ completed: 1, failed: 0, credits_charged: 5 }]);
    expect((await requestOf(id)).status_code).toBe(200);
  });

  test('does not make a refused request into work again', async () => {
    const { account, id } = await atWork({ mode: 'sync' });
    await settle(database, [{ id, status: 'REFUSED', charge: false }]);
    await settle(database, [{ id, status: 'COMPLETED', charge: true }]);
    expect(await accountOf(database, account)).toMatchObject({ balance: 100, reserved: 0, charged: 0 });
    expect((await requestOf(id)).state).toBe('refused');
  });

  test('charges a client who left, and the log says 499 for ever', async () => {
    const { account, id } = await atWork({ mode: 'sync' });
    await database.updateTable('requests').set({ status_code: 499, latency_ms: 12 }).where('id', '=', id).execute();
    await settle(database, [{ id, status: 'COMPLETED', charge: true }]);
    expect(await requestOf(id)).toMatchObject({ state: 'settled', status_code: 499, latency_ms: 12, credits_charged: 5 });
    expect((await accountOf(database, account)).charged).toBe(5);
  });

  test('of a request that nobody knows changes nothing', async () => {
    expect(await settle(database, [{ id: randomUUID(), status: 'COMPLETED', charge: true }])).toEqual([]);
  });
});

test('a batch over several accounts settles each request by its own outcome', async () => {
  const works = await Promise.all(Array.from({ length: 6 }, () => atWork()));
  const outcomes = works.map(({ id }, index) => ({ id, status: index % 2 ? 'FAILED' : 'COMPLETED', charge: index % 2 === 0 }) as const);
  await settle(database, outcomes);
  const charged = await Promise.all(works.map(async ({ account }) => (await accountOf(database, account)).charged));
  expect(charged).toEqual([5, 0, 5, 0, 5, 0]);
});

test('admissions, marks of publication and settlements that cross each other come to the right sums, without a deadlock', async () => {
  const accounts = await Promise.all([200, 400, 800].map((credits) => anAccount(database, credits)));
  const round = async (index: number) => {
    const batch = accounts.map((_account, turn) =>
      asked(accounts[(index + turn) % 3] as string, { credits: 1 + (index % 7), mode: index % 4 ? 'async' : 'sync' }),
    );
    const admitted = (await admit(database, batch)).filter(({ outcome }) => outcome === 'admitted');
    const outcomes = admitted.map(({ id }, turn): Outcome => ({
      id,
      status: (['COMPLETED', 'FAILED', 'REFUSED'] as const)[(index + turn) % 3] ?? 'FAILED',
      charge: (index + turn) % 3 === 0,
    }));
    const marks = admitted.map(({ id }) => ({ id })).reverse();
    await Promise.all([settle(database, outcomes), markPublished(database, marks), settle(database, [...outcomes].reverse())]);
  };
  await Promise.all(Array.from({ length: 100 }, (_none, index) => round(index)));
  const rows = await database.selectFrom('accounts').select(['reserved', 'outstanding']).where('id', 'in', accounts).execute();
  expect(rows).toEqual(accounts.map(() => ({ reserved: 0, outstanding: 0 })));
});
