import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@overheard/testing';
import { type Kysely, sql } from 'kysely';
import * as tables from '../src/migrations/0001-tables.js';
import * as admission from '../src/migrations/0002-admission.js';
import * as deliveries from '../src/migrations/0003-deliveries.js';
import * as sweeps from '../src/migrations/0004-sweeps.js';
import * as controlPlane from '../src/migrations/0005-control-plane.js';
import * as settlement from '../src/migrations/0006-settlement.js';
import { Database, listAccountsOf, migrate } from '@overheard/database';

let tested: TestDatabase;
const processes: Database[] = [];
beforeAll(async () => {
  tested = await createTestDatabase({ migrated: false });
  for (let index = 0; index < 4; index += 1) processes.push(Database.open(tested.settings));
});
afterAll(async () => {
  await Promise.all(processes.map((database) => database.destroy()));
  await tested.drop();
});

test('processes that start at once on an empty database migrate it once, and all find it ready', async () => {
  const applied = await Promise.all(processes.map((database) => migrate(database)));
  const [first = [], ...others] = applied.filter((names) => names.length > 0);
  expect(first.length).toBeGreaterThan(0);
  expect(others).toEqual([]);
  for (const database of processes) expect(await database.selectFrom('requests').select('id').execute()).toEqual([]);
});

test('a database that is up to date is left as it is', async () => {
  expect(await migrate(tested.database)).toEqual([]);
});

test('people who were there before accounts had roles own the account that was theirs', async () => {
  const before = await createTestDatabase({ migrated: false });
  const untyped = before.database as unknown as Kysely<unknown>;
  for (const migration of [tables, admission, deliveries, sweeps]) await migration.up(untyped);
  const [accountId, personId] = [randomUUID(), randomUUID()];
  await sql`insert into accounts (id, name) values (${accountId}, 'old')`.execute(before.database);
  await sql`insert into people (id, email, password, account_id) values (${personId}, 'a@b.example', 'x', ${accountId})`.execute(before.database);
  await controlPlane.up(untyped);
  expect(await listAccountsOf(before.database, personId)).toEqual([{ accountId, name: 'old', role: 'owner' }]);
  await before.drop();
});

test('a settlement that an older version made is replaced, though it gave other columns', async () => {
  const before = await createTestDatabase({ migrated: false });
  await sql`create function settle(batch jsonb) returns table (id uuid, credits_charged integer, balance bigint) language sql as 'select null::uuid, 0, 0::bigint'`.execute(
    before.database,
  );
  await settlement.up(before.database as unknown as Kysely<unknown>);
  const { rows } = await sql<{ columns: string[] }>`select proargnames as columns from pg_proc where proname = 'settle'`.execute(before.database);
  expect(rows).toEqual([{ columns: ['batch', 'id', 'credits_charged', 'balance', 'has_webhook'] }]);
  await before.drop();
});
