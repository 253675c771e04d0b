import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@overheard/testing';
import { Database, migrate } from '@overheard/database';

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
