import { type Kysely, sql } from 'kysely';

/** Deliveries with their schedule, and the secrets that sign them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of TABLES) await sql.raw(statement).execute(db);
}

const TABLES = [
  `create table signing_secrets (
    account_id uuid primary key references accounts,
    secret bytea not null,
    created_at timestamptz not null default now()
  )`,
  `create table deliveries (
    id uuid primary key default gen_random_uuid(),
    task_id uuid not null unique,
    account_id uuid not null,
    url text not null,
    receiver text collate "C" not null,
    status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
    attempts smallint not null default 0,
    body bytea,
    due_at timestamptz not null,
    locked_until timestamptz,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    trace text,
    constraint pending_has_a_body check (status <> 'pending' or body is not null)
  ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`,
  // What may be claimed, account by account and receiver by receiver; what is under way is in neither.
  `create index deliveries_waiting on deliveries (account_id, due_at) where status = 'pending' and locked_until is null`,
  `create index deliveries_waiting_by_receiver on deliveries (receiver, due_at) where status = 'pending' and locked_until is null`,
  `create index deliveries_locked on deliveries (locked_until) where locked_until is not null`,
  `create index deliveries_expiry on deliveries (expires_at) where body is not null`,
  `create index deliveries_account on deliveries (account_id, created_at desc, id desc)`,
  `create table delivery_attempts (
    delivery_id uuid not null,
    attempt smallint not null,
    at timestamptz not null default now(),
    status_code smallint,
    duration_ms integer,
    error text,
    answer bytea,
    primary key (delivery_id, attempt)
  )`,
  // For the sweep that looks for settled tasks without a delivery.
  `create index requests_to_deliver on requests (completed_at) where state = 'settled' and webhook_url is not null`,
];
