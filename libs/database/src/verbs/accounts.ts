import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type Database, inTransaction } from '../database.js';
import { NotFound } from './not-found.js';

export interface AccountView {
  accountId: string;
  name: string;
  granted: number;
  balance: number;
  reserved: number;
  charged: number;
  concurrency: number;
  rate: number;
}

export interface NewAccount {
  id?: string | undefined;
  name: string;
  credits?: number | undefined;
  concurrency?: number | undefined;
  rate?: number | undefined;
}

/** Makes an account with its first credits. */
export async function createAccount(database: Database, { id = randomUUID(), name, credits = 0, concurrency, rate }: NewAccount): Promise<AccountView> {
  await database
    .insertInto('accounts')
    .values({ id, name, ...(concurrency === undefined ? {} : { concurrency }), ...(rate === undefined ? {} : { rate }) })
    .execute();
  return credits > 0 ? grantCredits(database, id, credits) : showAccount(database, id);
}

/** The account as it stands. Throws `NotFound`. */
export async function showAccount(database: Database, id: string): Promise<AccountView> {
  const row = await database.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw new NotFound(`there is no account ${id}`);
  const { name, granted, balance, reserved, charged, concurrency, rate } = row;
  return { accountId: id, name, granted, balance, reserved, charged, concurrency, rate };
}

/** Adds credits, available at once, and records the grant. Throws `NotFound`. */
export async function grantCredits(database: Database, id: string, credits: number): Promise<AccountView> {
  await inTransaction(database, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set({ granted: sql`granted + ${credits}`, balance: sql`balance + ${credits}` })
      .where('id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new NotFound(`there is no account ${id}`);
    await transaction.insertInto('grants').values({ account_id: id, credits }).execute();
  });
  return showAccount(database, id);
}
