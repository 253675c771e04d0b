import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@overheard/testing';
import { sql } from 'kysely';
import { admit, anAccount, asked, DAY_MS, partitionAt, uuidAt } from './moving-credits.js';
import type { Database } from '@overheard/database';

// Looked at before the database is made, so that midnight in between changes nothing.
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;

let tested: TestDatabase;
let database: Database;
let account: string;
beforeAll(async () => {
  tested = await createTestDatabase();
  ({ database } = tested);
  account = await anAccount(database, 1000);
});
afterAll(() => tested.drop());

async function partitionOf(id: string): Promise<string | undefined> {
  await admit(database, [asked(account, { id })]);
  const { rows } = await sql<{ name: string }>`select tableoid::regclass::text as name from requests where id = ${id}`.execute(database);
  return rows[0]?.name;
}

describe('the request log', () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7])('has a partition for the day in %i days, from its first to its last millisecond', async (days) => {
    const day = today + days * DAY_MS;
    expect([await partitionOf(uuidAt(day)), await partitionOf(uuidAt(day + DAY_MS - 1))]).toEqual([partitionAt(day), partitionAt(day)]);
  });

  test('takes no request of a day that it has no partition for', async () => {
    await expect(partitionOf(uuidAt(today + 30 * DAY_MS))).rejects.toThrow(/no partition/);
  });

  test('gets its partitions once, however many processes make sure of them', async () => {
    const count = async () =>
      (await sql<{ n: number }>`select count(*) as n from pg_inherits where inhparent = 'requests'::regclass`.execute(database)).rows[0]?.n;
    const before = await count();
    await Promise.all(Array.from({ length: 8 }, () => sql`select ensure_request_partitions()`.execute(database)));
    // One more at most: midnight may have come since.
    expect([before, Number(before) + 1]).toContain(await count());
  });
});
