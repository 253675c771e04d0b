import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createAccount, type Database } from '@overheard/database';

/** A request as `admit` takes it. */
export interface Asked {
  id: string;
  account_id: string;
  key_id: string;
  test: boolean;
  provider: string;
  mode: 'sync' | 'async';
  prompt: string;
  country: string;
  priority: number;
  payload: string;
  webhook_url: string | null;
  idempotency_key: string | null;
  credits: number;
}

export interface Admitted {
  id: string;
  outcome: 'admitted' | 'reused' | 'queue_full' | 'no_credits';
  balance: number;
  first_id: string | null;
}

export interface Outcome {
  id: string;
  status: 'COMPLETED' | 'FAILED' | 'REFUSED';
  charge: boolean;
  status_code?: number;
}

export interface Settled {
  id: string;
  credits_charged: number;
  balance: number;
  has_webhook: boolean;
}

/** A UUIDv7 of a moment. */
export function uuidAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const DAY_MS = 86_400_000;

/** The partition of the request log that a moment falls into. */
export const partitionAt = (ms: number): string => `requests_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`;

export const asked = (account_id: string, rest: Partial<Asked> = {}): Asked => ({
  id: uuidAt(Date.now()),
  account_id,
  key_id: account_id,
  test: false,
  provider: 'ANY',
  mode: 'async',
  prompt: 'prompt',
  country: 'US',
  priority: 1,
  payload: '{}',
  webhook_url: null,
  idempotency_key: null,
  credits: 5,
  ...rest,
});

export async function admit(database: Database, batch: Asked[], caps = { queue: 100_000, testQueue: 1000 }): Promise<Admitted[]> {
  const { rows } = await sql<Admitted>`select * from admit(${JSON.stringify(batch)}::jsonb, ${caps.queue}, ${caps.testQueue})`.execute(database);
  return batch.map(({ id }) => rows.find((row) => row.id === id) as Admitted);
}

export async function settle(database: Database, outcomes: Outcome[]): Promise<Settled[]> {
  const batch = outcomes.map((outcome) => ({ status_code: outcome.status === 'COMPLETED' ? 200 : 502, ...outcome, completed_at: new Date().toISOString() }));
  return (await sql<Settled>`select * from settle(${JSON.stringify(batch)}::jsonb)`.execute(database)).rows;
}

export async function markPublished(database: Database, marks: { id: string; seq?: number; at?: number }[]): Promise<void> {
  const batch = marks.map(({ id, seq = 1, at = Date.now() }) => ({ id, seq, at: new Date(at).toISOString() }));
  await sql`select mark_published(${JSON.stringify(batch)}::jsonb)`.execute(database);
}

export async function anAccount(database: Database, credits: number): Promise<string> {
  const id = randomUUID();
  await createAccount(database, { id, name: 'tested', credits });
  return id;
}

export const accountOf = (database: Database, id: string) => database.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Everything about the accounts that does not agree with their requests; empty when all sums are right. */
export async function wrongSums(database: Database): Promise<unknown[]> {
  const { rows } = await sql`
    select * from (
      select a.id, balance, reserved, charged, granted, outstanding, test_outstanding,
        coalesce(sum(credits_to_charge) filter (where state = 'open'), 0) as held,
        coalesce(sum(r.credits_charged) filter (where state = 'settled'), 0) as paid,
        count(*) filter (where state = 'open' and mode = 'async' and not test) as tasks,
        count(*) filter (where state = 'open' and mode = 'async' and test) as test_tasks,
        outstanding_by_priority as counted,
        array(
          select (select count(*) from requests o where o.account_id = a.id and o.state = 'open' and o.mode = 'async' and o.priority = p)::integer
          from generate_series(1, 10) p order by p
        ) as by_priority
      from accounts a left join requests r on r.account_id = a.id group by a.id
    ) sums
    where balance + reserved + charged <> granted or balance < 0 or reserved <> held or charged <> paid or outstanding <> tasks or test_outstanding <> test_tasks or counted <> by_priority`.execute(
    database,
  );
  return rows;
}
