import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAccount } from '@overheard/database';
import { createTestDatabase, type TestDatabase } from '@overheard/testing';
import { sql } from 'kysely';
import { DeliveriesRepository } from '../src/deliveries.repository.js';

let tested: TestDatabase;
let deliveries: DeliveriesRepository;
beforeAll(async () => {
  tested = await createTestDatabase();
  deliveries = new DeliveriesRepository(tested.database);
});
afterAll(() => tested.drop());

/** Deliveries of a new account that are due in so many seconds, or have been. */
async function pileUp(rows: number, ...dueInSeconds: number[]): Promise<void> {
  const { accountId } = await createAccount(tested.database, { name: 'test' });
  for (const seconds of dueInSeconds)
    await sql`
      insert into deliveries (task_id, account_id, url, receiver, body, due_at, expires_at)
      select gen_random_uuid(), ${accountId}::uuid, 'http://example', ${randomUUID()}, '{}', now() + ${seconds} * interval '1 second', now() + interval '1 day'
      from generate_series(1, ${rows}::int)`.execute(tested.database);
}

test('counts what is due, of no account more than it is told to, and knows the longest due of all', async () => {
  expect(await deliveries.measureDue(10)).toEqual({ count: 0, oldestMs: 0 });
  await pileUp(3, -60, 3600);
  await pileUp(2, 3600);
  await pileUp(25, -30);
  const { count, oldestMs } = await deliveries.measureDue(10);
  expect(count).toBe(3 + 10);
  expect(oldestMs).toBeGreaterThanOrEqual(60_000);
  expect(oldestMs).toBeLessThan(3_600_000);
});
