import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@overheard/testing';
import { sql } from 'kysely';
import { API_KEY_FORM, createAccount, createKey, type Database, grantCredits, listKeys, NotFound, revokeKey, showAccount } from '@overheard/database';

let tested: TestDatabase;
let database: Database;
beforeAll(async () => {
  tested = await createTestDatabase();
  ({ database } = tested);
});
afterAll(() => tested.drop());

describe('an account', () => {
  test('begins with the credits it was given, and gets more by grants, each of which is on record', async () => {
    const { accountId } = await createAccount(database, { name: 'one', credits: 10, concurrency: 3, rate: 7 });
    expect(await grantCredits(database, accountId, 5)).toMatchObject({
      name: 'one',
      granted: 15,
      balance: 15,
      reserved: 0,
      charged: 0,
      concurrency: 3,
      rate: 7,
    });
    const grants = await database.selectFrom('grants').select('credits').where('account_id', '=', accountId).orderBy('credits').execute();
    expect(grants).toEqual([{ credits: 5 }, { credits: 10 }]);
  });

  test.each(['balance = balance + 1', 'reserved = 1', 'charged = 1', 'balance = -1, charged = granted + 1'])(
    'whose credits do not add up is refused by the table itself: %s',
    async (change) => {
      const { accountId } = await createAccount(database, { name: 'two', credits: 10 });
      await expect(sql`update accounts set ${sql.raw(change)} where id = ${accountId}`.execute(database)).rejects.toThrow(/credits_add_up/);
      expect(await showAccount(database, accountId)).toMatchObject({ granted: 10, balance: 10 });
    },
  );

  test('that does not exist is named in the error', async () => {
    const id = randomUUID();
    for (const verb of [() => showAccount(database, id), () => grantCredits(database, id, 1), () => createKey(database, { accountId: id })]) {
      await expect(verb()).rejects.toThrow(new NotFound(`there is no account ${id}`));
    }
  });
});

describe('a key', () => {
  test.each([false, true])('is shown once and stored as its SHA-256 and last four characters: test=%s', async (isTest) => {
    const { accountId } = await createAccount(database, { name: 'three' });
    const { keyId, key } = await createKey(database, { accountId, test: isTest });
    expect([API_KEY_FORM.test(key), key.slice(0, 8)]).toEqual([true, isTest ? 'sk_test_' : 'sk_live_']);
    const row = await database.selectFrom('api_keys').selectAll().where('id', '=', keyId).executeTakeFirstOrThrow();
    expect(row.digest).toEqual(createHash('sha256').update(key).digest());
    expect(JSON.stringify({ ...row, digest: row.digest.toString('latin1') })).not.toContain(key.slice(8, -4));
    expect(await listKeys(database, accountId)).toMatchObject([{ keyId, lastFour: key.slice(-4), test: isTest, scopes: null, revokedAt: null }]);
  });

  test('keeps the moment of its first revocation', async () => {
    const { accountId } = await createAccount(database, { name: 'four' });
    const { keyId } = await createKey(database, { accountId });
    const revokedAt = async () => (await listKeys(database, accountId))[0]?.revokedAt;
    await revokeKey(database, keyId);
    const first = await revokedAt();
    await revokeKey(database, keyId);
    expect([first instanceof Date, await revokedAt()]).toEqual([true, first]);
    await expect(revokeKey(database, randomUUID())).rejects.toThrow(NotFound);
  });
});
