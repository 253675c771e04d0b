import { Inject, Injectable } from '@nestjs/common';
import type { RecordedEvent } from '@overheard/contracts';
import { Database, readTasks, type Standing, STANDING_COLUMNS, standingOf, statusOf, type TaskKey, type TaskRow } from '@overheard/database';
import { Batcher } from '@overheard/runtime';
import { sql } from 'kysely';

// Answers may be megabytes each.
const READS_MAX = 20;

/** A request at admission. */
export interface NewRequest {
  id: string;
  account_id: string;
  key_id: string;
  test: boolean;
  provider: string;
  mode: 'sync' | 'async';
  prompt: string;
  country: string;
  priority: number;
  /** The validated payload as JSON. */
  payload: string;
  webhook_url: string | null;
  idempotency_key: string | null;
  credits: number;
}

export interface Admission {
  outcome: 'admitted' | 'reused' | 'queue_full' | 'no_credits';
  createdAt: Date;
  /** Credits that can still be spent. */
  balance: number;
  /** The request that used the idempotency key first. */
  firstId: string | null;
}

export interface QueueCaps {
  queue: number;
  testQueue: number;
}

/** The outcome of a request as settlement takes it; REFUSED: it never became work. */
export type Settling = Pick<RecordedEvent, 'id' | 'charge' | 'statusCode' | 'completedAt'> & { status: RecordedEvent['status'] | 'REFUSED' };

/** Where in its stream a request stands, and since when. */
export interface PublicationMark {
  id: string;
  seq: number;
  /** ISO 8601. */
  at: string;
}

export interface Settled {
  creditsCharged: number;
  balance: number;
  hasWebhook: boolean;
}

/** A request that was refused before or at admission, for the log. */
export interface RefusedRequest {
  id: string;
  account_id: string;
  key_id: string;
  test: boolean;
  provider: string | null;
  mode: 'sync' | 'async';
  prompt: string | null;
  country: string | null;
  status_code: number;
  latency_ms: number;
}

/** All that is written to `requests`, `accounts`, `idempotency_keys` and `usage_daily`, and the reads of the gateway. */
@Injectable()
export class RequestsRepository {
  private readonly reads: Batcher<TaskKey, TaskRow | undefined>;

  constructor(@Inject(Database) private readonly database: Database) {
    this.reads = new Batcher((keys) => readTasks(database, keys), { itemsMax: READS_MAX });
  }

  /** Decides over a batch, in order of arrival, and reserves the credits of those admitted: one round trip, one transaction. */
  async admit(batch: NewRequest[], caps: QueueCaps): Promise<Admission[]> {
    const { rows } = await sql<{ id: string; outcome: Admission['outcome']; created_at: Date; balance: number; first_id: string | null }>`
      select id, outcome, created_at, balance, first_id from admit(${JSON.stringify(batch)}::jsonb, ${caps.queue}, ${caps.testQueue}) /* prepared: admit */`.execute(
      this.database,
    );
    const byId = new Map(rows.map(({ id, outcome, created_at, balance, first_id }) => [id, { outcome, createdAt: created_at, balance, firstId: first_id }]));
    return batch.map(({ id }) => byId.get(id) as Admission);
  }

  /** Charges or releases what the requests hold, once; a repeated outcome changes nothing. */
  async settle(batch: Settling[]): Promise<Settled[]> {
    const items = batch.map(({ id, status, charge, statusCode, completedAt }) => ({ id, status, charge, status_code: statusCode, completed_at: completedAt }));
    const { rows } = await sql<{ id: string; credits_charged: number | null; balance: number; has_webhook: boolean }>`
      select id, credits_charged, balance, has_webhook from settle(${JSON.stringify(items)}::jsonb) /* prepared: settle */`.execute(this.database);
    const byId = new Map(
      rows.map(({ id, credits_charged, balance, has_webhook }) => [id, { creditsCharged: credits_charged ?? 0, balance, hasWebhook: has_webhook }]),
    );
    // A request whose log entry is gone was settled long ago.
    return batch.map(({ id }) => byId.get(id) ?? { creditsCharged: 0, balance: 0, hasWebhook: false });
  }

  /** Notes where in its stream each request stands. */
  async markPublished(marks: PublicationMark[]): Promise<void> {
    await sql`select mark_published(${JSON.stringify(marks)}::jsonb) /* prepared: mark_published */`.execute(this.database);
  }

  /** The client of an open synchronous request left; whatever comes of it, the log says so (decision L7). */
  async markLeft(id: string, latencyMs: number): Promise<void> {
    await this.database
      .updateTable('requests')
      .set({ status_code: 499, latency_ms: Math.round(latencyMs) })
      .where('id', '=', id)
      .execute();
  }

  async logRefused(rows: RefusedRequest[]): Promise<void> {
    await this.database
      .insertInto('requests')
      .values(rows.map((row) => ({ ...row, credits_to_charge: 0, credits_charged: 0, state: 'refused' as const })))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }

  /** An account's task or synchronous request, unless it is unknown, refused, or its time is over. */
  find(accountId: string, id: string): Promise<TaskRow | undefined> {
    return this.reads.add({ accountId, id });
  }

  /** The recorded outcomes of those requests that are over. */
  async findOutcomes(ids: string[]): Promise<OutcomeRow[]> {
    if (ids.length === 0) return [];
    const rows = await this.database
      .selectFrom('tasks')
      .select([...STANDING_COLUMNS, 'response', 'quality', 'error'])
      .where('id', 'in', ids)
      .where('completed_at', 'is not', null)
      .execute();
    return rows.map((row) => ({ ...standingOf(row), response: row.response, quality: row.quality, error: row.error }));
  }

  /** The database's clock, which decides what has expired. */
  async now(): Promise<number> {
    const { rows } = await sql<{ now: number }>`select extract(epoch from now()) * 1000 as now`.execute(this.database);
    return Math.round(rows[0]?.now ?? 0);
  }

  /** Outstanding tasks of an account by priority, highest first; priorities without any are left out. */
  async countOutstanding(accountId: string): Promise<{ priority: number; count: number }[]> {
    const { rows } = await sql<{ counts: number[] }>`select outstanding_by_priority_of(${accountId}) as counts`.execute(this.database);
    const counts = rows[0]?.counts ?? [];
    return counts
      .map((count, index) => ({ priority: index + 1, count }))
      .filter(({ count }) => count > 0)
      .reverse();
  }

  /**
   * How many of them are at work, or have been until now and are not settled yet, which a sweep makes good within half a
   * minute. Each is looked up by itself (`limit 1`): a plan that joins would read a million open requests.
   */
  async countProcessing(accountId: string): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*) from tasks t, lateral (select from requests r where r.id = t.id and r.state = 'open' and r.mode = 'async' limit 1) open
      where t.account_id = ${accountId} and (t.status = 'PROCESSING' or t.completed_at > now() - interval '30 seconds')`.execute(this.database);
    return rows[0]?.count ?? 0;
  }

  /** The status of a request for `details.status` of a reused key; undefined once it is gone. */
  async statusOf(accountId: string, id: string): Promise<string | undefined> {
    const row = await this.find(accountId, id);
    return row && statusOf(row);
  }
}

export type OutcomeRow = Standing & {
  response: string | null;
  quality: string | null;
  error: string | null;
};
