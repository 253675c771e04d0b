import { Inject, Injectable } from '@nestjs/common';
import { Database, type DeliveryStatus, receiverOf, selectTasks, type TaskRow } from '@overheard/database';
import { sql } from 'kysely';
import type { Answer } from './sending.js';

/** An attempt that this process has claimed: its delivery counts it, its request is not sent yet. */
export interface Claim {
  deliveryId: string;
  taskId: string;
  accountId: string;
  url: string;
  attempt: number;
  /** Null when it is too large to be read together with others. */
  body: Buffer | null;
  bodyBytes: number;
  /** What signs it, encrypted; null when signing is off. */
  secret: Buffer | null;
  /** The `traceparent` of its task's trace. */
  trace: string | null;
  /** How late it is. */
  lagMs: number;
}

/** A settled task that wants a delivery and has none. */
export type Wanted = Omit<TaskRow, 'response'> & { accountId: string; webhookUrl: string };

export interface NewDelivery {
  taskId: string;
  accountId: string;
  url: string;
  /** The body around the task's result (`aroundResult`). */
  before: string;
  after: string;
  trace: string | undefined;
}

/** An attempt's outcome; `retryDelayMs` is null when there are no more attempts. */
export type Outcome = Pick<Claim, 'deliveryId' | 'attempt'> & Answer & { retryDelayMs: number | null };

const INTERRUPTED = 'the dispatcher ended before the outcome was known';
// Decision W6.
const RECEIVER_MAX = 5;
const ACCOUNT_MAX = 50;
const READ_TOGETHER_MAX_BYTES = 32 * 1024;
/** Any number that no other sweep locks. */
const SWEEP_LOCK = 7_301_115;

/** Everything that is written to `deliveries` and `delivery_attempts`, but for redelivery and test deliveries. Times are the database's. */
@Injectable()
export class DeliveriesRepository {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Those of these tasks that want a delivery and have none. Their results stay where they are. */
  async findWanted(taskIds: string[]): Promise<Wanted[]> {
    const rows = await selectTasks(this.database)
      .select('requests.account_id as accountId')
      .where(({ ref }) => sql`${ref('requests.id')} = any (${taskIds}::uuid[])`)
      .where('state', '=', 'settled')
      .where('webhook_url', 'is not', null)
      .where(({ not, exists, selectFrom }) => not(exists(selectFrom('deliveries').select('id').whereRef('task_id', '=', 'requests.id'))))
      .execute();
    return rows as Wanted[];
  }

  /** Settled tasks of the last while that want a delivery, but whose event must have been lost (architecture.md, sweep f). */
  async findMissed(windowMs: number, limit: number): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select r.id from requests r join tasks t on t.id = r.id
      where r.state = 'settled' and r.webhook_url is not null and t.expires_at > now()
        and r.completed_at between now() - ${windowMs} * interval '1 millisecond' and now() - interval '5 seconds'
        and not exists (select from deliveries d where d.task_id = r.id)
      order by r.completed_at limit ${limit}`.execute(this.database);
    return rows.map(({ id }) => id);
  }

  /** Makes deliveries, but for tasks that have one, in the order of their ids; the stored result is put into the body here. Returns how many are new. */
  async insert(deliveries: NewDelivery[]): Promise<number> {
    const items = deliveries.map((delivery) => ({ ...delivery, receiver: receiverOf(delivery.accountId, delivery.url) }));
    const { numAffectedRows = 0n } = await sql`
      insert into deliveries (task_id, account_id, url, receiver, body, due_at, expires_at, trace)
      select "taskId", "accountId", url, receiver, convert_to(before || coalesce(t.response, '') || after, 'UTF8'), t.completed_at, t.expires_at, trace
      from jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
        as item ("taskId" uuid, "accountId" uuid, url text, receiver text, before text, after text, trace text)
      join tasks t on t.id = item."taskId"
      order by t.id
      on conflict (task_id) do nothing`.execute(this.database);
    return Number(numAffectedRows);
  }

  /** Takes what is due as far as there is room for its account and receiver, in turns, and counts each attempt. */
  async claim(leaseMs: number, limit: number): Promise<Claim[]> {
    const { rows } = await sql<Omit<Claim, 'body'>>`
      select id as "deliveryId", task_id as "taskId", d.account_id as "accountId", url, attempts as attempt, octet_length(body) as "bodyBytes", secret, trace,
             (extract(epoch from now() - due_at) * 1000)::float8 as "lagMs"
      from claim_deliveries(${RECEIVER_MAX}, ${ACCOUNT_MAX}, ${leaseMs} * interval '1 millisecond', ${limit}) d
      left join signing_secrets s on s.account_id = d.account_id
      order by due_at`.execute(this.database);
    const bodies = await this.readBodies(rows.filter(({ bodyBytes }) => bodyBytes <= READ_TOGETHER_MAX_BYTES));
    return rows.map((row) => ({ ...row, body: bodies.get(row.deliveryId) ?? null }));
  }

  /** Apart from the claim, which no other dispatcher can make before its whole answer is sent. */
  private async readBodies(claims: Pick<Claim, 'deliveryId'>[]): Promise<Map<string, Buffer>> {
    if (claims.length === 0) return new Map();
    // In base64, because bytes come in hexadecimal, twice as long, and as text they would be decoded only to be encoded again.
    const { rows } = await sql<{ id: string; body: string }>`
      select id, encode(body, 'base64') as body from deliveries where id = any (${claims.map(({ deliveryId }) => deliveryId)}::uuid[]) and body is not null`.execute(
      this.database,
    );
    return new Map(rows.map(({ id, body }) => [id, Buffer.from(body, 'base64')]));
  }

  /** What an attempt sends. */
  async readBody({ deliveryId, body }: Claim): Promise<Buffer> {
    if (body) return body;
    const row = await this.database.selectFrom('deliveries').select('body').where('id', '=', deliveryId).executeTakeFirst();
    if (!row?.body) throw new Error(`the delivery ${deliveryId} has no body`);
    return row.body;
  }

  /** Keeps attempts under way from being taken for interrupted ones. What is being recorded just now needs it no more, and is not waited for: the two could wait for each other. */
  async renew(claims: Claim[], leaseMs: number): Promise<void> {
    const items = claims.map(({ deliveryId, attempt }) => ({ deliveryId, attempt }));
    await sql`
      with held as (
        select id from deliveries d join jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as item ("deliveryId" uuid, attempt smallint) on d.id = item."deliveryId"
        where d.attempts = item.attempt and d.locked_until is not null for update of d skip locked
      )
      update deliveries d set locked_until = now() + ${leaseMs} * interval '1 millisecond' from held where d.id = held.id`.execute(this.database);
  }

  /**
   * Writes down how attempts went, and gives what then stands for each. An acknowledgement counts whenever it comes; a
   * failure only of the attempt that is under way, since a later one may have done better. Locks in the order of ids, so
   * that dispatchers which record the same deliveries never wait for each other in a circle.
   */
  async record(outcomes: Outcome[]): Promise<(DeliveryStatus | undefined)[]> {
    const items = outcomes.map(({ answer, ...outcome }) => ({ ...outcome, answer: answer?.toString('base64') ?? null }));
    // A dispatcher that recovered the attempt has written it already; a claim made before migration 0008 left no time of its beginning.
    const { rows } = await sql<{ id: string; status: DeliveryStatus }>`
      with outcomes as (
        select d.id, d.attempted_at, o.* from deliveries d
        join jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
          as o ("deliveryId" uuid, attempt smallint, "statusCode" smallint, error text, "durationMs" integer, answer text, "retryDelayMs" float8) on d.id = o."deliveryId"
        order by d.id for update of d
      ), noted as (
        insert into delivery_attempts (delivery_id, attempt, at, status_code, error, duration_ms, answer)
        select id, attempt, coalesce(attempted_at, now()), "statusCode", error, "durationMs", decode(answer, 'base64') from outcomes
        on conflict (delivery_id, attempt) do update
        set status_code = excluded.status_code, error = excluded.error, duration_ms = excluded.duration_ms, answer = excluded.answer
      )
      update deliveries d
      set status = case when o.error is null then 'delivered' when o."retryDelayMs" is null then 'failed' else 'pending' end,
          due_at = now() + coalesce(o."retryDelayMs", 0) * interval '1 millisecond',
          locked_until = null
      from outcomes o
      where d.id = o.id and (o.error is null or (d.attempts = o.attempt and d.locked_until is not null))
      returning d.id, d.status`.execute(this.database);
    const byId = new Map(rows.map(({ id, status }) => [id, status]));
    return outcomes.map(({ deliveryId }) => byId.get(deliveryId));
  }

  /** Gives back what a dispatcher that died had under way: due as it was, or failed where that was the last attempt. */
  async recover(attemptsMax: number): Promise<number> {
    // Claims made before migration 0008 had written their attempts.
    const { rows } = await sql`
      with lost as (
        select id, attempts, attempted_at from deliveries where locked_until <= now() order by locked_until limit 1000 for update skip locked
      ), noted as (
        insert into delivery_attempts (delivery_id, attempt, at, error) select id, attempts, coalesce(attempted_at, now()), ${INTERRUPTED} from lost
        on conflict (delivery_id, attempt) do update set error = excluded.error
      )
      update deliveries d set locked_until = null, status = case when d.attempts < ${attemptsMax} then d.status else 'failed' end
      from lost where d.id = lost.id
      returning d.id`.execute(this.database);
    return rows.length;
  }

  /** Empties a batch of bodies whose tasks have expired; what was still to be delivered is failed. Returns how many there were. */
  async emptyExpired(limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      update deliveries set body = null, status = case status when 'pending' then 'failed' else status end
      where id in (
        select id from deliveries where body is not null and expires_at <= now() and locked_until is null order by expires_at limit ${limit} for update skip locked
      )`.execute(this.database);
    return Number(numAffectedRows);
  }

  /** Deletes a batch of deliveries whose requests have left the request log. Returns how many there were. */
  async deleteOld(retentionMs: number, limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      with old as (
        select id from deliveries where task_id < first_uuid_of(now() - ${retentionMs} * interval '1 millisecond') order by task_id limit ${limit} for update skip locked
      ), attempts as (
        delete from delivery_attempts a using old where a.delivery_id = old.id
      )
      delete from deliveries d using old where d.id = old.id`.execute(this.database);
    return Number(numAffectedRows);
  }

  /** How many deliveries are due and wait, of each account so many at most, and for how long the first of them has. */
  async measureDue(accountMax: number): Promise<{ count: number; oldestMs: number }> {
    const { rows } = await sql<{ count: number; oldestMs: number }>`
      with recursive accounts as (
        (select account_id, due_at from deliveries where status = 'pending' and locked_until is null order by account_id, due_at limit 1)
        union all
        select next.* from accounts a, lateral (
          select d.account_id, d.due_at from deliveries d
          where d.status = 'pending' and d.locked_until is null and d.account_id > a.account_id order by d.account_id, d.due_at limit 1
        ) next
      )
      select coalesce(sum(due.count), 0)::int as count, coalesce(extract(epoch from now() - min(a.due_at)) * 1000, 0)::float8 as "oldestMs"
      from accounts a, lateral (
        select count(*) from (
          select 1 from deliveries d where d.status = 'pending' and d.locked_until is null and d.account_id = a.account_id and d.due_at <= now() limit ${accountMax}
        ) counted
      ) due
      where a.due_at <= now()`.execute(this.database);
    return rows[0] ?? { count: 0, oldestMs: 0 };
  }

  /** Does the work unless another dispatcher is at it. */
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
}
