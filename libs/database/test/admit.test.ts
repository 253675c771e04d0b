import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@overheard/testing';
import { accountOf, admit, anAccount, asked, settle, wrongSums } from './moving-credits.js';
import type { Database } from '@overheard/database';

let tested: TestDatabase;
let database: Database;
beforeAll(async () => {
  tested = await createTestDatabase();
  ({ database } = tested);
});
afterEach(async () => expect(await wrongSums(database)).toEqual([]));
afterAll(() => tested.drop());

const outcomesOf = async (...given: Parameters<typeof admit>) => (await admit(...given)).map(({ outcome }) => outcome);

describe('a request', () => {
  test('has its credits reserved when it is admitted', async () => {
    const account = await anAccount(database, 12);
    expect(await admit(database, [asked(account)])).toMatchObject([{ outcome: 'admitted', balance: 7, first_id: null }]);
    expect(await accountOf(database, account)).toMatchObject({ granted: 12, balance: 7, reserved: 5, charged: 0, outstanding: 1 });
  });

  test('is held against its key first, then the queue cap, then the credits', async () => {
    const account = await anAccount(database, 5);
    const caps = { queue: 1, testQueue: 1 };
    const first = asked(account, { idempotency_key: 'k' });
    expect(await outcomesOf(database, [first], caps)).toEqual(['admitted']);
    // Now all three stand against it.
    expect(await admit(database, [asked(account, { idempotency_key: 'k' })], caps)).toMatchObject([{ outcome: 'reused', first_id: first.id, balance: 0 }]);
    expect(await outcomesOf(database, [asked(account)], caps)).toEqual(['queue_full']);
    expect(await outcomesOf(database, [asked(account, { mode: 'sync' })], caps)).toEqual(['no_credits']);
  });

  test('that is refused leaves no trace and leaves its key free', async () => {
    const account = await anAccount(database, 4);
    const refused = asked(account, { idempotency_key: 'k' });
    expect(await outcomesOf(database, [refused])).toEqual(['no_credits']);
    expect(await database.selectFrom('requests').select('id').where('id', '=', refused.id).execute()).toEqual([]);
    expect(await outcomesOf(database, [asked(account, { idempotency_key: 'k', credits: 4 })])).toEqual(['admitted']);
  });

  test('of an unknown account is no request', async () => {
    await expect(admit(database, [asked(randomUUID())])).rejects.toThrow();
  });
});

describe('a batch', () => {
  test('spends credits in order of arrival; who does not fit is passed over, not who comes after', async () => {
    const account = await anAccount(database, 5);
    expect(
      await outcomesOf(
        database,
        [3, 3, 2, 1].map((credits) => asked(account, { credits })),
      ),
    ).toEqual(['admitted', 'no_credits', 'admitted', 'no_credits']);
    expect(await accountOf(database, account)).toMatchObject({ balance: 0, reserved: 5 });
  });

  test('gives a key to the first of those that use it', async () => {
    const account = await anAccount(database, 100);
    const batch = [0, 1, 2].map(() => asked(account, { idempotency_key: 'k' }));
    expect(await admit(database, batch)).toMatchObject([{ outcome: 'admitted' }, ...[1, 2].map(() => ({ outcome: 'reused', first_id: batch[0]?.id }))]);
  });

  test('keeps accounts apart: their credits, their keys, their caps', async () => {
    const [rich, poor] = [await anAccount(database, 100), await anAccount(database, 1)];
    const batch = [rich, poor, rich, poor].map((account, index) => asked(account, { idempotency_key: index < 2 ? 'k' : null }));
    expect(await outcomesOf(database, batch)).toEqual(['admitted', 'no_credits', 'admitted', 'no_credits']);
  });
});

describe('the queue cap', () => {
  test("counts live tasks and test keys' tasks apart, and synchronous requests not at all", async () => {
    const account = await anAccount(database, 1000);
    const caps = { queue: 2, testQueue: 1 };
    const kinds = [{ mode: 'sync' }, { test: true, credits: 0 }, {}, { test: true, credits: 0 }, {}, {}, { mode: 'sync' }] as const;
    expect(
      await outcomesOf(
        database,
        kinds.map((kind) => asked(account, kind)),
        caps,
      ),
    ).toEqual(['admitted', 'admitted', 'admitted', 'queue_full', 'admitted', 'queue_full', 'admitted']);
    expect(await accountOf(database, account)).toMatchObject({ outstanding: 2, test_outstanding: 1 });
  });

  test('has room again once a task is over', async () => {
    const account = await anAccount(database, 1000);
    const first = asked(account);
    const caps = { queue: 1, testQueue: 1 };
    await admit(database, [first], caps);
    expect(await outcomesOf(database, [asked(account)], caps)).toEqual(['queue_full']);
    await settle(database, [{ id: first.id, status: 'FAILED', charge: false }]);
    expect(await outcomesOf(database, [asked(account)], caps)).toEqual(['admitted']);
  });
});

describe('many at once', () => {
  test('two hundred batches over several accounts spend exactly what is there, and no two wait for each other', async () => {
    const accounts = await Promise.all([50, 300, 1000, 5000, 0].map((credits) => anAccount(database, credits)));
    const batches = Array.from({ length: 200 }, (_none, batch) =>
      Array.from({ length: 1 + (batch % 8) }, (_nothing, index) =>
        asked(accounts[(batch * 3 + index * 7) % accounts.length] as string, { credits: 1 + ((batch + index) % 9) }),
      ),
    );
    const outcomes = (await Promise.all(batches.map((batch) => outcomesOf(database, batch)))).flat();
    expect(new Set(outcomes)).toEqual(new Set(['admitted', 'no_credits']));
    const spent = await database.selectFrom('accounts').select(['balance', 'reserved']).where('id', 'in', accounts).orderBy('granted').execute();
    // The poor are spent to the last credit that anybody asked for; the rich have something left.
    expect(spent.map(({ balance, reserved }) => [balance === 0, reserved > 0])).toEqual([
      [true, false],
      [true, true],
      expect.anything(),
      expect.anything(),
      [false, true],
    ]);
  });

  test('of a hundred requests with the same key one is admitted, and all others name it', async () => {
    const account = await anAccount(database, 1000);
    const results = (await Promise.all(Array.from({ length: 100 }, () => admit(database, [asked(account, { idempotency_key: 'race' })])))).flat();
    const winners = results.filter(({ outcome }) => outcome === 'admitted');
    expect(winners).toHaveLength(1);
    expect(results.filter(({ outcome, first_id }) => outcome === 'reused' && first_id === winners[0]?.id)).toHaveLength(99);
    expect(await accountOf(database, account)).toMatchObject({ reserved: 5, outstanding: 1 });
  });
});
