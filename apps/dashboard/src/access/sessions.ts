import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Role } from '@overheard/contracts';
import { Database } from '@overheard/database';
import { sql } from 'kysely';

export const SESSION_S = 12 * 3600;
const TOKEN_BYTES = 32;

/** Who is logged in, which account they look at, and what they may do there. */
export interface Visitor {
  personId: string;
  email: string;
  accountId: string;
  accountName: string;
  role: Role;
  /** Names their session. */
  digest: Buffer;
}

/** Who is logged in. A session is a row, so that it can be ended from anywhere; its cookie holds what only its digest is kept of. */
@Injectable()
export class Sessions {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Begins a session and gives what its cookie holds. */
  async open(personId: string, accountId: string): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    await this.database
      .insertInto('sessions')
      .values({ digest: digestOf(token), person_id: personId, account_id: accountId, expires_at: sql`now() + ${SESSION_S} * interval '1 second'` })
      .execute();
    await this.database
      .deleteFrom('sessions')
      .where('expires_at', '<', sql<Date>`now()`)
      .execute();
    return token;
  }

  /** Undefined where the session is over, or its person is no longer in that account. */
  async find(token: string | undefined): Promise<Visitor | undefined> {
    if (!token) return undefined;
    const digest = digestOf(token);
    const row = await this.database
      .selectFrom('sessions')
      .innerJoin('people', 'people.id', 'sessions.person_id')
      .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
      .innerJoin('memberships', (join) =>
        join.onRef('memberships.account_id', '=', 'sessions.account_id').onRef('memberships.person_id', '=', 'sessions.person_id'),
      )
      .select(['people.id as personId', 'email', 'accounts.id as accountId', 'accounts.name as accountName', 'role'])
      .where('digest', '=', digest)
      .where('expires_at', '>', sql<Date>`now()`)
      .executeTakeFirst();
    return row && { ...row, digest };
  }

  /** Looks at another account from now on. Whether the person belongs to it is looked at with each request. */
  async switchTo({ digest }: Visitor, accountId: string): Promise<void> {
    await this.database.updateTable('sessions').set({ account_id: accountId }).where('digest', '=', digest).execute();
  }

  async close({ digest }: Visitor): Promise<void> {
    await this.database.deleteFrom('sessions').where('digest', '=', digest).execute();
  }
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
