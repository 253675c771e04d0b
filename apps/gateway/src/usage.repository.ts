import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@overheard/database';
import { sql } from 'kysely';

export interface UsageRow {
  group: string;
  requests: number;
  completed: number;
  failed: number;
  creditsCharged: number;
}

const GROUPS = { day: sql<string>`day::text`, provider: sql<string>`provider`, key: sql<string>`key_id::text` };

/** Reads of `usage_daily`. */
@Injectable()
export class UsageRepository {
  constructor(@Inject(Database) private readonly database: Database) {}

  async sum(accountId: string, { from, to, groupBy }: { from: string; to: string; groupBy: keyof typeof GROUPS }): Promise<UsageRow[]> {
    const group = GROUPS[groupBy];
    return this.database
      .selectFrom('usage_daily')
      .select([
        group.as('group'),
        sql<number>`sum(completed + failed)`.as('requests'),
        sql<number>`sum(completed)`.as('completed'),
        sql<number>`sum(failed)`.as('failed'),
        sql<number>`sum(credits_charged)`.as('creditsCharged'),
      ])
      .where('account_id', '=', accountId)
      .where(sql<boolean>`day between ${from}::date and ${to}::date`)
      .groupBy(group)
      .orderBy(group)
      .execute();
  }

  /** The database's clock. */
  async now(): Promise<number> {
    const { rows } = await sql<{ now: Date }>`select now() as now`.execute(this.database);
    return rows[0]?.now.getTime() ?? Date.now();
  }
}
