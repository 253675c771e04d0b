import { createHash, randomBytes } from 'node:crypto';
import type { Scope } from '@overheard/contracts';
import { sql } from 'kysely';
import type { Database } from '../database.js';
import { NotFound } from './not-found.js';

/** The form of a key (decision A1). */
export const API_KEY_FORM = /^sk_(live|test)_[A-Za-z0-9_-]{43}$/;

/** What is stored of a key, and looked up by. */
export const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();

export interface NewKey {
  accountId: string;
  name?: string | undefined;
  /** Absent: all scopes, also later ones. */
  scopes?: Scope[] | undefined;
  expiresInMs?: number | undefined;
  test?: boolean | undefined;
  /** E-mail address of the person who makes it. */
  createdBy?: string | undefined;
  /** The key itself, when it was made elsewhere. */
  key?: string | undefined;
}

export interface KeyView {
  keyId: string;
  name: string;
  lastFour: string;
  test: boolean;
  scopes: string[] | null;
  createdBy: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** Makes a key. This is the only time that it is shown. Throws `NotFound` for an unknown account. */
export async function createKey(
  database: Database,
  { accountId, name = 'default', scopes, expiresInMs, test = false, createdBy, key = newKey(test) }: NewKey,
): Promise<{ keyId: string; key: string }> {
  const account = await database.selectFrom('accounts').select('id').where('id', '=', accountId).executeTakeFirst();
  if (!account) throw new NotFound(`there is no account ${accountId}`);
  const { id } = await database
    .insertInto('api_keys')
    .values({
      account_id: accountId,
      name,
      digest: digestOf(key),
      last_four: key.slice(-4),
      test,
      scopes: scopes ?? null,
      created_by: createdBy ?? null,
      expires_at: expiresInMs === undefined ? null : sql`now() + ${expiresInMs} * interval '1 millisecond'`,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { keyId: id, key };
}

/** An account's keys, newest first; none of them is shown. */
export async function listKeys(database: Database, accountId: string): Promise<KeyView[]> {
  const rows = await database
    .selectFrom('api_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('hidden', '=', false)
    .orderBy('created_at', 'desc')
    .execute();
  return rows.map((row) => ({
    keyId: row.id,
    name: row.name,
    lastFour: row.last_four,
    test: row.test,
    scopes: row.scopes,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }));
}

/** From now on the key is refused, on every gateway within a second. Revoking twice changes nothing. Throws `NotFound`, also for another account's key. */
export async function revokeKey(database: Database, keyId: string, accountId?: string): Promise<void> {
  const { numUpdatedRows } = await database
    .updateTable('api_keys')
    .set({ revoked_at: sql`coalesce(revoked_at, now())` })
    .where('id', '=', keyId)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId as string).where('hidden', '=', false))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new NotFound(`there is no key ${keyId}`);
}

/**
 * Lets a key of the dashboard's own be used for a while, in the name of a person. There is one row a person, account and
 * kind, whatever keys take turns in it, so that the log and the usage know whose requests they were.
 */
export async function lendHiddenKey(database: Database, { accountId, person, test, key, forMs }: HiddenKey): Promise<void> {
  const values = {
    digest: digestOf(key),
    last_four: key.slice(-4),
    expires_at: sql<Date>`now() + ${forMs} * interval '1 millisecond'`,
  };
  await database
    .insertInto('api_keys')
    .values({ account_id: accountId, name: 'dashboard', scopes: ['tasks:create'] satisfies Scope[], test, created_by: person, hidden: true, ...values })
    .onConflict((conflict) => conflict.columns(['account_id', 'created_by', 'test']).where('hidden', '=', true).doUpdateSet(values))
    .execute();
}

export interface HiddenKey {
  accountId: string;
  /** E-mail address. */
  person: string;
  test: boolean;
  key: string;
  forMs: number;
}

const newKey = (test: boolean): string => `sk_${test ? 'test' : 'live'}_${randomBytes(32).toString('base64url')}`;
