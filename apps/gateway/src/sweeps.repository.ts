import { Inject, Injectable } from '@nestjs/common';
import type { RecordedEvent } from '@overheard/contracts';
import { Database } from '@overheard/database';
import { type Kysely, sql } from 'kysely';
import type { NewRequest } from './requests.repository.js';

/** An open request with what it takes to publish it again. */
export interface OpenRequest extends NewRequest {
  publish_count: number;
  published_at: Date | null;
  published_seq: number | null;
}

const OPEN_COLUMNS = sql<OpenRequest>`
  r.id, account_id, key_id, test, provider, mode, prompt, country, priority, payload, webhook_url, idempotency_key, credits_to_charge as credits, publish_count, published_at, published_seq`;

// Any number will do that nothing else in this database locks.
const SWEEP_LOCK = 726_373;

/** What the sweeps look for, and the upkeep of the request log. */
@Injectable()
export class SweepsRepository {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Does the work unless another gateway is at it. */
  async alone(work: () => Promise<void>): Promise<void> {
    await this.database.connection().execute(async (connection) => {
      const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_lock(${SWEEP_LOCK}) as taken`.execute(connection);
      if (!rows[0]?.taken) return;
      try {
        await work();
      } finally {
        await sql`select pg_advisory_unlock(${SWEEP_LOCK})`.execute(connection);
      }
    });
  }

  /** (a) Tasks that were admitted and not published for two seconds, oldest first. */
  findUnpublished(limit: number): Promise<OpenRequest[]> {
    return this.openWhere(sql`published_at is null and mode = 'async' and created_at < now() - interval '2 seconds' order by created_at limit ${limit}`);
  }

  /** (b) Requests published a minute ago whose task is not over, in id order from a cursor. */
  findPublished(after: string, limit: number): Promise<OpenRequest[]> {
    return this.openWhere(sql`r.id > ${after} and published_at < now() - interval '60 seconds'
      and not exists (select from tasks t where t.id = r.id and t.completed_at is not null) order by r.id limit ${limit}`);
  }

  /** (c) Open requests whose task has been over for ten seconds, among those that ended since a moment. */
  async findUnsettled(since: Date, limit: number): Promise<RecordedEvent[]> {
    const { rows } = await sql<{ id: string; account_id: string; status: 'COMPLETED' | 'FAILED'; charge: boolean; status_code: number; completed_at: Date }>`
      select t.id, t.account_id, t.status, t.charge, t.status_code, t.completed_at
      from tasks t join requests r on r.id = t.id
      where t.completed_at between ${since} and now() - interval '10 seconds' and r.state = 'open'
      order by t.completed_at limit ${limit}`.execute(this.database);
    return rows.map(({ id, account_id, status, charge, status_code, completed_at }) => ({
      id,
      accountId: account_id,
      status,
      charge,
      statusCode: status_code,
      completedAt: completed_at.toISOString(),
    }));
  }

  /** (d) Synchronous requests that were never published: nobody waits for them any more. */
  findNeverSent(limit: number): Promise<OpenRequest[]> {
    return this.openWhere(sql`published_at is null and mode = 'sync' and created_at < now() - interval '10 seconds' order by created_at limit ${limit}`);
  }

  /** (e) Requests that nobody took up within a day. */
  findForgotten(limit: number): Promise<OpenRequest[]> {
    return this.openWhere(
      sql`r.id < first_uuid_of(now() - interval '24 hours') and not exists (select from tasks t where t.id = r.id) order by r.id limit ${limit}`,
    );
  }

  private async openWhere(condition: ReturnType<typeof sql>): Promise<OpenRequest[]> {
    const { rows } = await sql<OpenRequest>`select ${OPEN_COLUMNS} from requests r where state = 'open' and ${condition}`.execute(this.database);
    return rows;
  }

  /** Empties what was asked, once the task's time is over; the log entry stays. Gives how many there were. */
  async emptyExpired(retentionMs: number, limit: number): Promise<number> {
    const { numAffectedRows } = await sql`
      update requests set payload = null, webhook_url = null
      where id in (
        select id from requests where payload is not null and state <> 'open' and completed_at <= now() - ${retentionMs} * interval '1 millisecond'
        limit ${limit} for update skip locked
      )`.execute(this.database);
    return Number(numAffectedRows ?? 0);
  }

  /** Partitions of the request log for the days to come, and away with those whose time is over. */
  async turnPartitions(retentionMs: number): Promise<string[]> {
    await sql`select ensure_request_partitions()`.execute(this.database);
    const { rows } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'requests'::regclass
        and substring(inhrelid::regclass::text from 'requests_(\\d{8})') < to_char((now() - ${retentionMs} * interval '1 millisecond') at time zone 'utc', 'YYYYMMDD')`.execute(
      this.database,
    );
    for (const { name } of rows) await dropPartition(this.database, name);
    return rows.map(({ name }) => name);
  }
}

/** Readers of the log are not held up: the partition is detached first. */
async function dropPartition(database: Kysely<never> | Database, name: string): Promise<void> {
  await sql`alter table requests detach partition ${sql.table(name)} concurrently`.execute(database);
  await sql`drop table ${sql.table(name)}`.execute(database);
}
