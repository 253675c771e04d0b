import { Inject, Injectable } from '@nestjs/common';
import type { AttemptFailed, ClaimRequest, FinishedEvent } from '@overheard/contracts';
import { Database, type Standing, STANDING_COLUMNS, standingOf, type StandingRow } from '@overheard/database';
import { failpoint } from '@overheard/runtime';
import { type RawBuilder, sql } from 'kysely';
import { statusCodeOf } from './status-code.js';

/** What became of a claim. `exhausted` and `late` are for the caller to record as FAILED. */
export type Claim = { id: string } & ({ verdict: 'go'; attempts: number; remainingMs: number; nowMs: number } | { verdict: 'over' | 'exhausted' | 'late' });

/** What stands of a task that is over, and whether this very write made it so. */
export type Recorded = Standing & { won: boolean };

/** Everything that is written to `tasks`. Times are the database's. */
@Injectable()
export class TasksRepository {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Marks tasks as PROCESSING, unless they are over, claimed too often, or past their deadline. */
  async claim(requests: ClaimRequest[], claimsMax: number): Promise<Claim[]> {
    // A claim that a crash forgets is claimed again; nobody has to wait for the disk.
    const { rows } = await sql<{ id: string; attempts: number; remaining_ms: number; now_ms: number }>`
      with unhurried as materialized (select set_config('synchronous_commit', 'off', true))
      insert into tasks as t (id, account_id, provider, status, claims, started_at, deadline_at)
      select id, "accountId", provider, 'PROCESSING', 1, now(), now() + "deadlineMs" * interval '1 millisecond'
      from unhurried,
        (select distinct on (id) * from jsonb_to_recordset(${JSON.stringify(requests)}::jsonb) as item (id uuid, "accountId" uuid, provider text, "deadlineMs" float8) order by id) item
      on conflict (id) do update set claims = t.claims + 1
        where t.status = 'PROCESSING' and t.claims < ${claimsMax} and t.deadline_at > now()
      returning id, attempts, extract(epoch from deadline_at - now()) * 1000 as remaining_ms, extract(epoch from now()) * 1000 as now_ms /* prepared: claim */`.execute(
      this.database,
    );
    failpoint('task-store.claimed');
    const granted = new Map(rows.map((row) => [row.id, row]));
    const refused = await this.refusedClaims(requests.map(({ id }) => id).filter((id) => !granted.has(id)));
    return requests.map(({ id }) => {
      const row = granted.get(id);
      return row
        ? { id, verdict: 'go', attempts: row.attempts, remainingMs: Math.max(0, row.remaining_ms), nowMs: Math.round(row.now_ms) }
        : { id, verdict: refused.get(id) ?? 'over' };
    });
  }

  private async refusedClaims(ids: string[]): Promise<Map<string, 'over' | 'exhausted' | 'late'>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database
      .selectFrom('tasks')
      .select(['id', 'status', sql<boolean>`deadline_at <= now()`.as('late')])
      .where('id', 'in', ids)
      .execute();
    return new Map(rows.map(({ id, status, late }) => [id, status !== 'PROCESSING' ? 'over' : late ? 'late' : 'exhausted']));
  }

  /** Remembers how many attempts were made, so that a later claim goes on counting. Locks in id order, as claims and outcomes do. */
  async countAttempts(failed: AttemptFailed[]): Promise<void> {
    await sql`
      with counted as (
        select id, max(attempts) as attempts from jsonb_to_recordset(${JSON.stringify(failed)}::jsonb) as item (id uuid, attempts smallint) group by id
      ), held as (
        select t.id, counted.attempts from tasks t join counted using (id) where t.status = 'PROCESSING' order by t.id for update of t
      )
      update tasks t set attempts = greatest(t.attempts, held.attempts) from held where t.id = held.id`.execute(this.database);
  }

  /**
   * Writes outcomes; the first terminal write of a task wins. Gives what stands for each event in order, or undefined for
   * a task that goes on: a client that left stops only what no worker has yet (decision M4).
   */
  async record(events: FinishedEvent[], retentionMs: number): Promise<(Recorded | undefined)[]> {
    const onlyUnclaimed = events.filter(({ cancel }) => cancel === 'unclaimed');
    const anyState = events.filter(({ cancel }) => cancel !== 'unclaimed');
    const won = new Map([...(await this.write(onlyUnclaimed, retentionMs, sql`do nothing`)), ...(await this.write(anyState, retentionMs, TAKE_OVER))]);
    const standing = await this.standing(events.filter((event) => !won.has(event)).map(({ id }) => id));
    return events.map((event) => {
      const [mine, theirs] = [won.get(event), standing.get(event.id)];
      if (mine) return { ...mine, won: true };
      return theirs && { ...theirs, won: false };
    });
  }

  /** Gives the events that ended their tasks, with what stands. */
  private async write(events: FinishedEvent[], retentionMs: number, onConflict: RawBuilder<unknown>): Promise<[FinishedEvent, Standing][]> {
    if (events.length === 0) return [];
    // In id order, so that two batches never wait for each other in a circle; each task once, by the event that came first.
    const sorted = [...new Map([...events].reverse().map((event) => [event.id, event])).values()].sort((one, two) => (one.id < two.id ? -1 : 1));
    const column = <T>(value: (event: FinishedEvent) => T): T[] => sorted.map(value);
    const { rows } = await sql<StandingRow>`
      insert into tasks as t (id, account_id, provider, status, claims, attempts, completed_at, expires_at, charge, status_code, route, response, quality, error, timings)
      select id, account_id, provider, status, 0, attempts, now(), now() + ${retentionMs} * interval '1 millisecond', charge, status_code, route, response, quality, error, timings
      from unnest(
        ${column(({ id }) => id)}::uuid[], ${column(({ accountId }) => accountId)}::uuid[], ${column(({ provider }) => provider)}::text[],
        ${column(({ outcome }) => outcome.status)}::text[], ${column(({ attempts }) => attempts)}::smallint[], ${column(({ charge }) => charge)}::boolean[],
        ${column(({ outcome }) => statusCodeOf(outcome))}::smallint[], ${column(({ route }) => route)}::text[],
        ${column(({ outcome }) => (outcome.status === 'COMPLETED' ? outcome.response : null))}::text[],
        ${column(({ outcome }) => (outcome.status === 'COMPLETED' ? JSON.stringify(outcome.quality) : null))}::text[],
        ${column(({ outcome }) => (outcome.status === 'FAILED' ? JSON.stringify(outcome.error) : null))}::text[], ${column(({ timings }) => JSON.stringify(timings))}::text[]
      ) as item (id, account_id, provider, status, attempts, charge, status_code, route, response, quality, error, timings)
      order by id
      on conflict (id) ${onConflict}
      returning ${sql.join(STANDING_COLUMNS.map((name) => sql.ref(name)))} /* prepared: record */`.execute(this.database);
    const written = new Map(rows.map((row) => [row.id, standingOf(row)]));
    return sorted.flatMap((event): [FinishedEvent, Standing][] => {
      const standing = written.get(event.id);
      return standing ? [[event, standing]] : [];
    });
  }

  private async standing(ids: string[]): Promise<Map<string, Standing>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.selectFrom('tasks').select(STANDING_COLUMNS).where('id', 'in', ids).where('completed_at', 'is not', null).execute();
    return new Map(rows.map((row) => [row.id, standingOf(row)]));
  }

  /** Deletes tasks whose time is over, by the database's clock. Gives how many there were. */
  async deleteExpired(limit: number): Promise<number> {
    const { numDeletedRows } = await this.database
      .deleteFrom('tasks')
      .where('id', 'in', (expired) =>
        expired
          .selectFrom('tasks')
          .select('id')
          .where('expires_at', '<=', sql<Date>`now()`)
          .orderBy('expires_at')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  /** Tasks that are at work although their deadline passed a while ago: whoever had them died, and nobody took them up again. */
  async findOverdue(limit: number): Promise<{ id: string; account_id: string; provider: string; attempts: number }[]> {
    return this.database
      .selectFrom('tasks')
      .select(['id', 'account_id', 'provider', 'attempts'])
      .where('status', '=', 'PROCESSING')
      .where('deadline_at', '<', sql<Date>`now() - interval '60 seconds'`)
      .orderBy('deadline_at')
      .limit(limit)
      .execute();
  }
}

/** What a terminal event does to a task at work. One that is canceled there (499) is charged in full (decision M4). */
const TAKE_OVER = sql`do update set
  status = excluded.status, attempts = greatest(t.attempts, excluded.attempts), completed_at = excluded.completed_at, expires_at = excluded.expires_at,
  charge = excluded.charge or excluded.status_code = 499, status_code = excluded.status_code, route = excluded.route, response = excluded.response,
  quality = excluded.quality, error = excluded.error, timings = excluded.timings
  where t.status = 'PROCESSING'`;
