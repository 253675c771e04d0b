import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Role } from '@overheard/contracts';
import { sql } from 'kysely';
import { type Database, inTransaction } from '../database.js';
import { NotFound } from './not-found.js';

const hash = promisify(scrypt) as (password: string, salt: Buffer, length: number) => Promise<Buffer>;
const HASH_BYTES = 32;

export interface NewPerson {
  email: string;
  password: string;
  accountId: string;
  /** What they may do in that account. */
  role?: Role | undefined;
}

export interface PersonView {
  personId: string;
  email: string;
}

export interface NewMember extends PersonView {
  /** False for somebody who had a login before, whose password stays. */
  isNew: boolean;
  /** False for somebody who was in that account before, whose role stays. */
  isAdded: boolean;
}

/** A person in an account. */
export interface MemberView extends PersonView {
  role: Role;
  /** Since when they belong to it. */
  since: Date;
}

/** An account needs somebody who manages it. */
export class LastOwner extends Error {
  override name = 'LastOwner';
}

/**
 * Lets a person log in to the dashboard and use an account there. Whoever has a login already keeps their password, and
 * whoever is in that account already their role.
 */
export async function createPerson(database: Database, { email, password, accountId, role = 'owner' }: NewPerson): Promise<NewMember> {
  const address = email.toLowerCase();
  const stored = await hashed(password);
  return inTransaction(database, async (transaction) => {
    const made = await transaction
      .insertInto('people')
      .values({ email: address, password: stored })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .executeTakeFirstOrThrow();
    // Locked, so that nobody removes the person in between.
    const { id } = await transaction.selectFrom('people').select('id').where('email', '=', address).forUpdate().executeTakeFirstOrThrow();
    const added = await transaction
      .insertInto('memberships')
      .values({ account_id: accountId, person_id: id, role })
      .onConflict((conflict) => conflict.columns(['account_id', 'person_id']).doNothing())
      .executeTakeFirstOrThrow();
    return { personId: id, email: address, isNew: made.numInsertedOrUpdatedRows === 1n, isAdded: added.numInsertedOrUpdatedRows === 1n };
  });
}

// Hashed against when there is no such person, so that the answer takes as long.
const NOBODY = `${Buffer.alloc(16).toString('base64')}:${Buffer.alloc(HASH_BYTES).toString('base64')}`;

/** The person with that e-mail address and password, or undefined. */
export async function checkPassword(database: Database, email: string, password: string): Promise<PersonView | undefined> {
  const row = await database.selectFrom('people').selectAll().where('email', '=', email.toLowerCase()).executeTakeFirst();
  const [salt = '', expected = ''] = (row?.password ?? NOBODY).split(':');
  const actual = await hash(password, Buffer.from(salt, 'base64'), HASH_BYTES);
  const right = timingSafeEqual(actual, Buffer.from(expected, 'base64'));
  return row && right ? { personId: row.id, email: row.email } : undefined;
}

/** Replaces a password, and ends every session of its person. Throws `NotFound`. */
export async function setPassword(database: Database, email: string, password: string): Promise<void> {
  const stored = await hashed(password);
  await inTransaction(database, async (transaction) => {
    const person = await transaction
      .updateTable('people')
      .set({ password: stored })
      .where('email', '=', email.toLowerCase())
      .returning('id')
      .executeTakeFirst();
    if (!person) throw new NotFound(`there is no person ${email}`);
    await transaction.deleteFrom('sessions').where('person_id', '=', person.id).execute();
  });
}

/** Whether anybody can log in. */
export async function isAnybodyThere(database: Database): Promise<boolean> {
  return (await database.selectFrom('people').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** The people of an account, by e-mail address. */
export async function listPeople(database: Database, accountId: string): Promise<MemberView[]> {
  return database
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'person_id')
    .select(['person_id as personId', 'email', 'role', 'memberships.created_at as since'])
    .where('account_id', '=', accountId)
    .orderBy('email')
    .execute();
}

/** The accounts of a person, by name. */
export async function listAccountsOf(database: Database, personId: string): Promise<{ accountId: string; name: string; role: Role }[]> {
  return database
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .select(['account_id as accountId', 'name', 'role'])
    .where('person_id', '=', personId)
    .orderBy('name')
    .orderBy('account_id')
    .execute();
}

/** Gives a person another role in an account. Throws `NotFound`, `LastOwner`. */
export async function changeRole(database: Database, { accountId, personId, role }: { accountId: string; personId: string; role: Role }): Promise<MemberView> {
  return inTransaction(database, async (transaction) => {
    const member = await memberOf(transaction, accountId, personId);
    if (role !== 'owner') await otherOwnerThan(transaction, accountId, member);
    await transaction.updateTable('memberships').set({ role }).where('account_id', '=', accountId).where('person_id', '=', personId).execute();
    return { ...member, role };
  });
}

/** Takes a person out of an account; whoever is in no other one can't log in any more. Throws `NotFound`, `LastOwner`. */
export async function removePerson(database: Database, { accountId, personId }: { accountId: string; personId: string }): Promise<MemberView> {
  return inTransaction(database, async (transaction) => {
    const member = await memberOf(transaction, accountId, personId);
    await otherOwnerThan(transaction, accountId, member);
    await transaction.deleteFrom('memberships').where('account_id', '=', accountId).where('person_id', '=', personId).execute();
    await transaction
      .deleteFrom('people')
      .where('id', '=', personId)
      .where(sql<boolean>`not exists (select from memberships where person_id = ${personId})`)
      .execute();
    return member;
  });
}

async function memberOf(transaction: Database, accountId: string, personId: string): Promise<MemberView> {
  // Locked, so that two owners who remove each other do it one after the other.
  await sql`select from memberships where account_id = ${accountId} order by person_id for update`.execute(transaction);
  const member = (await listPeople(transaction, accountId)).find((one) => one.personId === personId);
  if (!member) throw new NotFound(`there is no person ${personId} in account ${accountId}`);
  return member;
}

async function otherOwnerThan(transaction: Database, accountId: string, { personId, role }: MemberView): Promise<void> {
  if (role !== 'owner') return;
  const owners = (await listPeople(transaction, accountId)).filter((one) => one.role === 'owner' && one.personId !== personId);
  if (owners.length === 0) throw new LastOwner('an account needs an owner');
}

async function hashed(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `${salt.toString('base64')}:${(await hash(password, salt, HASH_BYTES)).toString('base64')}`;
}
