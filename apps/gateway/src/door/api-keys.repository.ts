import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@overheard/database';
import { sql } from 'kysely';

/** Who calls, and what they may. */
export interface Caller {
  keyId: string;
  accountId: string;
  test: boolean;
  /** Null: everything. */
  scopes: string[] | null;
  /** Requests a second, and simultaneous synchronous requests. */
  rate: number;
  concurrency: number;
}

@Injectable()
export class ApiKeysRepository {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** The owner of a key that is neither revoked nor expired, or undefined. */
  async find(digest: Buffer): Promise<Caller | undefined> {
    const row = await this.database
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .select(['api_keys.id as keyId', 'account_id as accountId', 'test', 'scopes', 'rate', 'concurrency'])
      .where('digest', '=', digest)
      .where('revoked_at', 'is', null)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]))
      .executeTakeFirst();
    return row;
  }

  /** Notes that a key was used; at most once a minute. */
  async touch(keyId: string): Promise<void> {
    await this.database
      .updateTable('api_keys')
      .set({ last_used_at: sql`now()` })
      .where('id', '=', keyId)
      .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', sql<Date>`now() - interval '1 minute'`)]))
      .execute();
  }
}
