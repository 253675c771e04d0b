import { Inject, Injectable } from '@nestjs/common';
import type { AttemptFailed, ClaimRequest, FinishedEvent, OutcomeNotice, Timings } from '@overheard/contracts';
import { Database } from '@overheard/database';
import { sql } from 'kysely';
import { statusCodeOf } from './status-code.js';

/** What became of a claim. `exhausted` and `late` are for the caller to record as FAILED. */
export type Claim = { id: string } & ({ verdict: 'go'; attempts: number; remainingMs: number } | { verdict: 'over' | 'exhausted' | 'late' });

/** What stands of a task that is over, and whether this very write made it so. */
export type Recorded = Omit<OutcomeNotice, 'outcome'> & { won: boolean };

/** Everything that is written to `tasks`. Times are the database's. */
@Injectable()
export class TasksRepository {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Marks tasks as PROCESSING, unless they are over, claimed too often, or past their deadline. */
  async claim(requests: ClaimRequest[], claimsMax: number): Promise<Claim[]> {
    const rows = await this.database.transaction().execute(async (transaction) => {
      // A claim that a crash forgets is claimed again; nobody has to wait for the disk.
      await sql`set local synchronous_commit = off`.execute(transaction);
      const { rows: claimed } = await sql<{ id: string; attempts: number; remaining_ms: number }>`
        insert into tasks as t (id, account_id, provider, status, claims, started_at, deadline_at)
        select id, "accountId", provider, 'PROCESSING', 1, now(), now() + "deadlineMs" * interval '1 millisecond'
        from (select distinct on (id) * from jsonb_to_recordset(${JSON.stringify(requests)}::jsonb) as item (id uuid, "accountId" uuid, provider text, "deadlineMs" float8) order by id) item
        on conflict (id) do update set claims = t.claims + 1
          where t.status = 'PROCESSING' and t.claims < ${claimsMax} and t.deadline_at > now()
        returning id, attempts, extract(epoch from deadline_at - now()) * 1000 as remaining_ms`.execute(transaction);
      return claimed;
    });
    const granted = new Map(rows.map((row) => [row.id, row]));
    const refused = await this.refusedClaims(requests.map(({ id }) => id).filter((id) => !granted.has(id)));
    return requests.map(({ id }) => {
      const row = granted.get(id);
      return row ? { id, verdict: 'go', attempts: row.attempts, remainingMs: Math.max(0, row.remaining_ms) } : { id, verdict: refused.get(id) ?? 'over' };
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

  /** Remembers how many attempts were made, so that a later claim goes on counting. */
  async countAttempts(failed: AttemptFailed[]): Promise<void> {
    await sql`
      update tasks t set attempts = greatest(t.attempts, item.attempts)
      from (select id, max(attempts) as attempts from jsonb_to_recordset(${JSON.stringify(failed)}::jsonb) as item (id uuid, attempts smallint) group by id) item
      where t.id = item.id and t.status = 'PROCESSING'`.execute(this.database);
  }

  /** Writes outcomes; the first terminal write of a task wins. Returns what stands, for each event in order. */
  async record(events: FinishedEvent[], retentionMs: number): Promise<Recorded[]> {
    const column = <T>(value: (event: FinishedEvent) => T): T[] => sorted.map(value);
    // In id order, so that two batches never wait for each other in a circle.
    const sorted = [...new Map(events.map((event) => [event.id, event])).values()].sort((one, two) => (one.id < two.id ? -1 : 1));
    const ids = column(({ id }) => id);
    const { rows: written } = await sql<{ id: string }>`
      insert into tasks as t (id, account_id, provider, status, claims, attempts, completed_at, expires_at, charge, status_code, route, response, quality, error, timings)
      select id, account_id, provider, status, 0, attempts, now(), now() + ${retentionMs} * interval '1 millisecond', charge, status_code, route, response, quality, error, timings
      from unnest(
        ${ids}::uuid[], ${column(({ accountId }) => accountId)}::uuid[], ${column(({ provider }) => provider)}::text[], ${column(({ outcome }) => outcome.status)}::text[],
        ${column(({ attempts }) => attempts)}::smallint[], ${column(({ charge }) => charge)}::boolean[], ${column(({ outcome }) => statusCodeOf(outcome))}::smallint[],
        ${column(({ route }) => route)}::text[], ${column(({ outcome }) => (outcome.status === 'COMPLETED' ? outcome.response : null))}::text[],
        ${column(({ outcome }) => (outcome.status === 'COMPLETED' ? JSON.stringify(outcome.quality) : null))}::text[],
        ${column(({ outcome }) => (outcome.status === 'FAILED' ? JSON.stringify(outcome.error) : null))}::text[], ${column(({ timings }) => JSON.stringify(timings))}::text[]
      ) as item (id, account_id, provider, status, attempts, charge, status_code, route, response, quality, error, timings)
      order by id
      on conflict (id) do update set
        status = excluded.status, attempts = greatest(t.attempts, excluded.attempts), completed_at = excluded.completed_at, expires_at = excluded.expires_at, charge = excluded.charge,
        status_code = excluded.status_code, route = excluded.route, response = excluded.response, quality = excluded.quality, error = excluded.error, timings = excluded.timings
      where t.status = 'PROCESSING'
      returning id`.execute(this.database);
    const won = new Set(written.map(({ id }) => id));
    const standing = await this.database
      .selectFrom('tasks')
      .select(['id', 'account_id', 'status', 'charge', 'status_code', 'completed_at', 'route', 'timings', 'attempts'])
      .where('id', 'in', ids)
      .execute();
    const byId = new Map(standing.map((row) => [row.id, row]));
    return events.map(({ id }) => {
      const row = byId.get(id);
      if (!row || row.status === 'PROCESSING' || !row.completed_at) throw new Error(`the task ${id} was recorded, but is not there`);
      return {
        id,
        accountId: row.account_id,
        status: row.status,
        charge: row.charge ?? false,
        statusCode: row.status_code ?? 500,
        completedAt: row.completed_at.toISOString(),
        route: row.route === 'live' ? 'live' : 'sandbox',
        timings: JSON.parse(row.timings ?? '{}') as Timings,
        attempts: row.attempts,
        won: won.has(id),
      };
    });
  }
}
