import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAccount } from '@overheard/database';
import { createTestDatabase, type TestDatabase } from '@overheard/testing';
import { sql } from 'kysely';
import { type Claim, DeliveriesRepository } from '../src/deliveries.repository.js';

let tested: TestDatabase;
let deliveries: DeliveriesRepository;
beforeAll(async () => {
  tested = await createTestDatabase();
  deliveries = new DeliveriesRepository(tested.database);
});
afterAll(() => tested.drop());

const newAccount = async () => (await createAccount(tested.database, { name: 'test' })).accountId;

/** Deliveries that are due in so many seconds, or have been. */
const pileUp = (accountId: string, rows: number, { inSeconds = -60, receiver = randomUUID() as string, bytes = 2 } = {}) =>
  sql`
    insert into deliveries (task_id, account_id, url, receiver, body, due_at, expires_at)
    select gen_random_uuid(), ${accountId}::uuid, 'http://example', ${`${accountId} ${receiver}`}, convert_to(repeat('1', ${bytes}), 'UTF8'),
           now() + ${inSeconds} * interval '1 second', now() + interval '1 day'
    from generate_series(1, ${rows}::int)`.execute(tested.database);

/** What several dispatchers claim at the same time. */
const claimAtOnce = async () => (await Promise.all(Array.from({ length: 6 }, () => deliveries.claim(60_000, 500)))).flat();
const countOf = (claims: Claim[], accountId: string) => claims.filter((claim) => claim.accountId === accountId).length;

/** Which delivery goes to which receiver. */
const receiversOf = async (claims: Claim[]): Promise<Map<string, string>> => {
  const ids = claims.map(({ deliveryId }) => deliveryId);
  const { rows } = await sql<{ id: string; receiver: string }>`select id, receiver from deliveries where id = any (${ids}::uuid[])`.execute(tested.database);
  return new Map(rows.map(({ id, receiver }) => [id, receiver]));
};

test('counts what is due, of no account more than it is told to, and knows the longest due of all', async () => {
  expect(await deliveries.measureDue(10)).toEqual({ count: 0, oldestMs: 0 });
  const [one, another, third] = [await newAccount(), await newAccount(), await newAccount()];
  await pileUp(one, 3);
  await pileUp(one, 3, { inSeconds: 3600 });
  await pileUp(another, 2, { inSeconds: 3600 });
  await pileUp(third, 25, { inSeconds: -30 });
  const { count, oldestMs } = await deliveries.measureDue(10);
  expect(count).toBe(3 + 10);
  expect(oldestMs).toBeGreaterThanOrEqual(60_000);
  expect(oldestMs).toBeLessThan(3_600_000);
});

test('however many dispatchers claim at once, five are under way to a receiver and fifty of an account', async () => {
  const [narrow, wide] = [await newAccount(), await newAccount()];
  const receiver = randomUUID();
  await pileUp(narrow, 40, { receiver });
  for (let count = 0; count < 30; count++) await pileUp(wide, 4);
  const claims = await claimAtOnce();
  expect([countOf(claims, narrow), countOf(claims, wide)]).toEqual([5, 50]);
  expect(new Set(claims.map(({ deliveryId }) => deliveryId)).size).toBe(claims.length);
  const outcome = { statusCode: 200, error: null, durationMs: 1, answer: null, retryDelayMs: null };
  await deliveries.record(claims.filter(({ accountId }) => accountId === narrow).map(({ deliveryId, attempt }) => ({ deliveryId, attempt, ...outcome })));
  expect([countOf(await claimAtOnce(), narrow), countOf(await claimAtOnce(), wide)]).toEqual([5, 0]);
});

test('what another dispatcher is claiming right now takes its room, even where something more urgent has come since', async () => {
  const accountId = await newAccount();
  const receiver = randomUUID();
  await pileUp(accountId, 5, { receiver });
  const claims = await tested.database.transaction().execute(async (transaction) => {
    const first = await new DeliveriesRepository(transaction).claim(60_000, 500);
    await pileUp(accountId, 1, { receiver, inSeconds: -3600 });
    const second = deliveries.claim(60_000, 500);
    await Promise.race([second, sleep(500)]);
    return { first, second };
  });
  expect([countOf(claims.first, accountId), countOf(await claims.second, accountId)]).toEqual([5, 0]);
});

test('of an account with hundreds of receivers, one with a long backlog hides no other, wherever they stand', async () => {
  const accountId = await newAccount();
  const name = (index: number) => String(index).padStart(3, '0');
  await pileUp(accountId, 300, { receiver: name(500), inSeconds: -3600 });
  for (let index = 0; index < 120; index += 1) await pileUp(accountId, 1, { receiver: name(index * 8) });
  const claimed = new Set<string>();
  // The backlog's receiver hangs, the others answer.
  for (let round = 0; round < 40 && claimed.size < 121; round += 1) {
    const claims = (await deliveries.claim(60_000, 500)).filter((claim) => claim.accountId === accountId);
    const outcome = { statusCode: 200, error: null, durationMs: 1, answer: null, retryDelayMs: null };
    const receivers = await receiversOf(claims);
    for (const receiver of receivers.values()) claimed.add(receiver);
    const answered = claims.filter(({ deliveryId }) => !receivers.get(deliveryId)?.endsWith(name(500)));
    if (answered.length > 0) await deliveries.record(answered.map(({ deliveryId, attempt }) => ({ deliveryId, attempt, ...outcome })));
  }
  expect(claimed.size).toBe(121);
});

test('an account with many megabytes under way waits as well', async () => {
  const accountId = await newAccount();
  for (let count = 0; count < 3; count++) await pileUp(accountId, 1, { bytes: 33 * 1024 * 1024 });
  expect(countOf(await claimAtOnce(), accountId)).toBe(2);
  expect(countOf(await claimAtOnce(), accountId)).toBe(0);
});

test('leases that are kept while outcomes are recorded, here and by a dispatcher that was frozen, never make anyone wait in a circle', async () => {
  const accounts = await Promise.all(Array.from({ length: 20 }, newAccount));
  for (const accountId of accounts) for (let count = 0; count < 10; count++) await pileUp(accountId, 5);
  const claims = (await deliveries.claim(60_000, 1000)).filter(({ accountId }) => accounts.includes(accountId));
  expect(claims).toHaveLength(1000);
  const shuffled = () =>
    claims
      .map((claim) => ({ claim, at: Math.random() }))
      .sort((one, two) => one.at - two.at)
      .map(({ claim }) => claim);
  const outcomes = () =>
    shuffled().map(({ deliveryId, attempt }) => ({ deliveryId, attempt, statusCode: 200, error: null, durationMs: 1, answer: null, retryDelayMs: null }));
  for (let round = 0; round < 10; round++) {
    await Promise.all([
      deliveries.renew(shuffled(), 60_000),
      deliveries.record(outcomes()),
      deliveries.renew(shuffled(), 60_000),
      deliveries.record(outcomes()),
    ]);
    await sql`update deliveries set locked_until = now() + interval '1 minute'`.execute(tested.database);
  }
});
