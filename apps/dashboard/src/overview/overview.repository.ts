import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@overheard/database';
import { sql } from 'kysely';
import type { KeyOfRequest, OutstandingTasks, UsageSum } from '../api.js';
import { keyName, keyPerson } from '../key-of-request.js';
import { firstIdOf } from '../requests/filters.js';

export const LOOKED_AT_MAX = 200_000;
const LATEST_LOOKED_AT = 20_000;
const DAY_MS = 86_400_000;

export interface Days {
  from: string;
  to: string;
}

export interface FiguresRow {
  provider: string;
  /** Null in the row that sums the provider up. */
  country: string | null;
  ok: number;
  failed: number;
  percentiles: [number, number, number] | null;
}

export interface LatestRow {
  provider: string;
  isOk: boolean;
  id: string;
  at: Date;
  statusCode: number;
  error: string | null;
}

/** Sums over an account's requests. */
@Injectable()
export class OverviewRepository {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Tasks that are not over; `requests_open` finds them however long the log is. */
  async outstanding(accountId: string): Promise<OutstandingTasks[]> {
    const rows = await this.database
      .selectFrom('requests as r')
      .leftJoin('tasks as t', 't.id', 'r.id')
      .select([
        sql<string>`r.provider`.as('provider'),
        'r.priority',
        sql<number>`count(*) filter (where t.id is null)`.as('waiting'),
        sql<number>`count(t.id)`.as('processing'),
        sql<Date>`min(r.created_at)`.as('oldestAt'),
      ])
      .where('r.account_id', '=', accountId)
      .where('r.state', '=', 'open')
      .where('r.mode', '=', 'async')
      .groupBy(['r.provider', 'r.priority'])
      .orderBy('r.priority', 'desc')
      .orderBy('r.provider')
      .execute();
    return rows.map(({ oldestAt, ...row }) => ({ ...row, oldestAt: oldestAt.toISOString() }));
  }

  usageByDay(accountId: string, days: Days): Promise<({ day: string; provider: string } & UsageSum)[]> {
    return this.usage(accountId, days)
      .select([sql<string>`day::text`.as('day'), 'provider'])
      .groupBy(['day', 'provider'])
      .orderBy('day')
      .orderBy('provider')
      .execute();
  }

  async usageByKey(accountId: string, days: Days): Promise<({ key: KeyOfRequest } & UsageSum)[]> {
    const rows = await this.usage(accountId, days)
      .leftJoin('api_keys as k', 'k.id', 'u.key_id')
      .select(['u.key_id as id', keyName.as('name'), keyPerson.as('person')])
      .groupBy(['u.key_id', 'k.hidden', 'k.name', 'k.created_by'])
      .orderBy('credits', 'desc')
      .orderBy('u.key_id')
      .execute();
    return rows.map(({ id, name, person, ...sums }) => ({ key: { id, name, person }, ...sums }));
  }

  private usage(accountId: string, { from, to }: Days) {
    return this.database
      .selectFrom('usage_daily as u')
      .select([sql<number>`sum(u.completed)`.as('completed'), sql<number>`sum(u.failed)`.as('failed'), sql<number>`sum(u.credits_charged)`.as('credits')])
      .where('u.account_id', '=', accountId)
      .where(sql<boolean>`u.day between ${from}::date and ${to}::date`);
  }

  /** How the newest requests of some days went, for each provider and for each of its countries. */
  async figures(accountId: string, { from, to }: Days, mode: string | undefined): Promise<FiguresRow[]> {
    const { rows } = await sql<FiguresRow>`
      with looked_at as (
        select provider, country, status_code < 400 as is_ok, latency_ms from requests
        where account_id = ${accountId} and id >= ${firstIdOf(Date.parse(from))} and id < ${firstIdOf(Date.parse(to) + DAY_MS)}
          and state = 'settled' and not test and status_code <> 499 ${mode === undefined ? sql`` : sql`and mode = ${mode}`}
        order by id desc limit ${LOOKED_AT_MAX}
      )
      select provider, country, count(*) filter (where is_ok) as ok, count(*) filter (where not is_ok) as failed,
             percentile_cont(array[0.5, 0.95, 0.99]) within group (order by latency_ms) filter (where is_ok) as percentiles
      from looked_at where country is not null group by grouping sets ((provider), (provider, country)) order by provider, country nulls first`.execute(
      this.database,
    );
    return rows;
  }

  /** The latest good and the latest bad outcome of each provider in the last day. */
  async latest(accountId: string): Promise<LatestRow[]> {
    const { rows } = await sql<LatestRow>`
      with looked_at as (
        select id, provider, status_code, status_code < 400 as is_ok, completed_at from requests
        where account_id = ${accountId} and id >= ${firstIdOf(Date.now() - DAY_MS)} and state = 'settled' and status_code <> 499
        order by id desc limit ${LATEST_LOOKED_AT}
      ), latest as (
        select distinct on (provider, is_ok) * from looked_at order by provider, is_ok, id desc
      )
      select l.provider, l.is_ok as "isOk", l.id, l.completed_at as at, l.status_code as "statusCode", t.error
      from latest l left join tasks t on t.id = l.id`.execute(this.database);
    return rows;
  }

  /** The database's clock. */
  async now(): Promise<Date> {
    const { rows } = await sql<{ now: Date }>`select now() as now`.execute(this.database);
    return rows[0]?.now ?? new Date();
  }
}
