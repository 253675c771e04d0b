import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../database.js';
import { encrypt } from '../encryption.js';
import { showAccount } from './accounts.js';
import { NotFound } from './not-found.js';

/** An account's signing as it now stands; `secret` only when this very call made it. */
export interface SigningView {
  enabled: boolean;
  secret?: string;
}

/** Signs all deliveries from now on. Shows the new secret once; where signing is on already, nothing changes and none is shown. Throws `NotFound`. */
export async function enableSigning(database: Database, key: Buffer, accountId: string): Promise<SigningView> {
  await showAccount(database, accountId);
  const secret = newSecret();
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('signing_secrets')
    .values({ account_id: accountId, secret: encrypt(key, accountId, secret) })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n ? { enabled: true, secret } : { enabled: true };
}

/** Signs with a new secret from the next attempt on; the old one is gone. Throws `NotFound` where signing is off. */
export async function rotateSigning(database: Database, key: Buffer, accountId: string): Promise<SigningView> {
  await showAccount(database, accountId);
  const secret = newSecret();
  const { numUpdatedRows } = await database
    .updateTable('signing_secrets')
    .set({ secret: encrypt(key, accountId, secret), created_at: sql`now()` })
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new NotFound(`signing is not enabled for account ${accountId}`);
  return { enabled: true, secret };
}

/** Signs nothing from the next attempt on, and forgets the secret. Throws `NotFound`. */
export async function disableSigning(database: Database, accountId: string): Promise<SigningView> {
  await showAccount(database, accountId);
  await database.deleteFrom('signing_secrets').where('account_id', '=', accountId).execute();
  return { enabled: false };
}

/** Since when an account's deliveries are signed with its present secret; undefined where they are not. */
export async function signingSince(database: Database, accountId: string): Promise<Date | undefined> {
  return (await database.selectFrom('signing_secrets').select('created_at').where('account_id', '=', accountId).executeTakeFirst())?.created_at;
}

/** The form that Standard Webhooks libraries read too (decision W3). */
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
