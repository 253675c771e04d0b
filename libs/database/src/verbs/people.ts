import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from '../database.js';

const hash = promisify(scrypt) as (password: string, salt: Buffer, length: number) => Promise<Buffer>;
const HASH_BYTES = 32;

export interface NewPerson {
  email: string;
  password: string;
  accountId: string;
}

/** Makes a person who may log in to the dashboard; one who is there already stays as they are. */
export async function createPerson(database: Database, { email, password, accountId }: NewPerson): Promise<void> {
  const salt = randomBytes(16);
  const stored = `${salt.toString('base64')}:${(await hash(password, salt, HASH_BYTES)).toString('base64')}`;
  await database
    .insertInto('people')
    .values({ email: email.toLowerCase(), password: stored, account_id: accountId })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute();
}

export interface PersonView {
  personId: string;
  email: string;
  accountId: string;
}

// Hashed against when there is no such person, so that the answer takes as long.
const NOBODY = `${Buffer.alloc(16).toString('base64')}:${Buffer.alloc(HASH_BYTES).toString('base64')}`;

/** The person with that e-mail address and password, or undefined. */
export async function checkPassword(database: Database, email: string, password: string): Promise<PersonView | undefined> {
  const row = await database.selectFrom('people').selectAll().where('email', '=', email.toLowerCase()).executeTakeFirst();
  const [salt = '', expected = ''] = (row?.password ?? NOBODY).split(':');
  const actual = await hash(password, Buffer.from(salt, 'base64'), HASH_BYTES);
  const right = timingSafeEqual(actual, Buffer.from(expected, 'base64'));
  return row && right ? { personId: row.id, email: row.email, accountId: row.account_id } : undefined;
}
