import { type Kysely, sql } from 'kysely';

/** The tables of one request's way, and the partitions of the request log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of TABLES) await sql.raw(statement).execute(db);
  await sql.raw(ENSURE_PARTITIONS).execute(db);
  await sql`select ensure_request_partitions()`.execute(db);
}

const TABLES = [
  `create table accounts (
    id uuid primary key,
    name text not null,
    created_at timestamptz not null default now(),
    granted bigint not null default 0,
    balance bigint not null default 0,
    reserved bigint not null default 0,
    charged bigint not null default 0,
    outstanding integer not null default 0 check (outstanding >= 0),
    test_outstanding integer not null default 0 check (test_outstanding >= 0),
    concurrency integer not null default 50 check (concurrency > 0),
    rate integer not null default 500 check (rate > 0),
    constraint credits_add_up check (balance >= 0 and reserved >= 0 and charged >= 0 and balance + reserved + charged = granted)
  ) with (fillfactor = 50)`,
  `create table grants (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts,
    credits bigint not null check (credits > 0),
    created_at timestamptz not null default now()
  )`,
  `create table usage_daily (
    account_id uuid not null references accounts,
    day date not null,
    provider text not null,
    key_id uuid not null,
    completed integer not null default 0,
    failed integer not null default 0,
    credits_charged bigint not null default 0,
    primary key (account_id, day, provider, key_id)
  )`,
  `create table api_keys (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts,
    name text not null,
    digest bytea not null unique,
    last_four text not null,
    test boolean not null default false,
    scopes text[],
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  )`,
  `create index api_keys_account on api_keys (account_id)`,
  `create table people (
    id uuid primary key default gen_random_uuid(),
    email text not null unique,
    password text not null,
    account_id uuid not null references accounts,
    created_at timestamptz not null default now()
  )`,
  // No foreign keys to it: partitions are detached and dropped whole.
  `create table requests (
    id uuid primary key,
    account_id uuid not null,
    key_id uuid not null,
    test boolean not null,
    provider text,
    mode text not null check (mode in ('sync', 'async')),
    prompt text,
    country text,
    priority smallint not null default 1,
    payload text,
    webhook_url text,
    idempotency_key text,
    credits_to_charge integer not null,
    credits_charged integer,
    state text not null check (state in ('open', 'settled', 'refused')),
    status_code smallint not null,
    latency_ms integer,
    publish_count smallint not null default 0,
    published_at timestamptz,
    published_seq bigint,
    created_at timestamptz not null default now(),
    completed_at timestamptz
  ) partition by range (id)`,
  `create index requests_account on requests (account_id, id desc)`,
  `create index requests_open on requests (account_id, priority) where state = 'open' and mode = 'async'`,
  `create index requests_unpublished on requests (created_at) where state = 'open' and published_at is null`,
  `create table idempotency_keys (
    account_id uuid not null references accounts,
    digest bytea not null,
    request_id uuid not null,
    primary key (account_id, digest)
  )`,
  `create table tasks (
    id uuid primary key,
    account_id uuid not null,
    provider text not null,
    status text not null check (status in ('PROCESSING', 'COMPLETED', 'FAILED')),
    claims smallint not null,
    attempts smallint not null default 0,
    started_at timestamptz,
    deadline_at timestamptz,
    completed_at timestamptz,
    expires_at timestamptz,
    charge boolean,
    status_code smallint,
    route text,
    response text,
    quality text,
    error text,
    timings text
  )`,
  `create index tasks_expiry on tasks (expires_at)`,
];

// A UUIDv7 begins with its milliseconds, so a day is a range of ids. There is no DEFAULT partition: DETACH CONCURRENTLY fails beside one.
const ENSURE_PARTITIONS = `
create function ensure_request_partitions() returns void language plpgsql as $$
declare
  start timestamptz;
begin
  perform pg_advisory_xact_lock(hashtext('ensure_request_partitions'));
  for start in select generate_series(date_trunc('day', now() at time zone 'utc') - interval '1 day', date_trunc('day', now() at time zone 'utc') + interval '7 days', interval '1 day') at time zone 'utc' loop
    execute format('create table if not exists %I partition of requests for values from (%L) to (%L)',
      'requests_' || to_char(start at time zone 'utc', 'YYYYMMDD'), first_uuid_of(start), first_uuid_of(start + interval '1 day'));
  end loop;
end $$`;

TABLES.unshift(`
create function first_uuid_of(moment timestamptz) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$`);
