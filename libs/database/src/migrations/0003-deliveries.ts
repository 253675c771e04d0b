import { type Kysely, sql } from 'kysely';

/** Deliveries with their schedule, and the secrets that sign them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of TABLES) await sql.raw(statement).execute(db);
  await sql.raw(CLAIM_DELIVERIES).execute(db);
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
    delivery_id uuid not null references deliveries on delete cascade,
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

// Takes what is due as far as there is room for its account and receiver, in turns, and writes down each attempt. Of each
// account it looks at the longest due rows only, so that no backlog costs the others anything; where one receiver's backlog
// may hide another's rows (the look was full), it looks at some receivers one by one as well, from the first and from anywhere.
// The table goes from empty to full and back faster than its statistics: hence the settings, and conditions that fit one index each.
const CLAIM_DELIVERIES = `
create function claim_deliveries(receiver_rooms jsonb, account_rooms jsonb, receiver_max integer, account_max integer, lease interval, most integer)
returns setof deliveries language plpgsql set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
declare
  look_rows constant integer := 100;
  look_receivers constant integer := 50;
  account_max_bytes constant bigint := 64 * 1024 * 1024;
begin
  return query
  with recursive accounts as (
    (select d.account_id, d.due_at from deliveries d where d.status = 'pending' and d.locked_until is null order by d.account_id, d.due_at limit 1)
    union all
    select next.* from accounts a, lateral (
      select d.account_id, d.due_at from deliveries d
      where d.status = 'pending' and d.locked_until is null and d.account_id > a.account_id order by d.account_id, d.due_at limit 1
    ) next
  ), open_accounts as (
    select * from (select account_id, coalesce((account_rooms ->> account_id::text)::integer, account_max) as room from accounts where due_at <= now()) a where room > 0
  ), longest_due as (
    select one.* from open_accounts a, lateral (
      select d.id, d.account_id, d.receiver, d.due_at, octet_length(d.body) as bytes from deliveries d
      where d.status = 'pending' and d.locked_until is null and d.account_id = a.account_id and d.due_at <= now() order by d.due_at limit look_rows
    ) one
  ), some_receivers as (
    select account_id, (account_id || start) collate "C" as receiver, 0 as step
    from (select account_id from longest_due group by account_id having count(*) = look_rows) crowded, unnest(array['', ' ' || md5(random()::text)]) start
    union all
    select s.account_id, next.receiver, s.step + 1 from some_receivers s, lateral (
      select d.receiver from deliveries d where d.status = 'pending' and d.locked_until is null and d.receiver > s.receiver order by d.receiver limit 1
    ) next
    where s.step < look_receivers and starts_with(next.receiver, s.account_id::text)
  ), candidates as (
    select * from longest_due
    union
    select one.* from some_receivers s, lateral (
      select d.id, d.account_id, d.receiver, d.due_at, octet_length(d.body) as bytes from deliveries d
      where d.status = 'pending' and d.locked_until is null and d.receiver = s.receiver and d.due_at <= now() order by d.due_at limit receiver_max
    ) one
  ), by_receiver as (
    select *, row_number() over (partition by receiver order by due_at) as receiver_turn from candidates
  ), by_account as (
    select id, account_id, due_at, row_number() over turns as account_turn, sum(bytes) over turns - bytes as bytes_before
    from by_receiver where receiver_turn <= coalesce((receiver_rooms ->> receiver)::integer, receiver_max)
    window turns as (partition by account_id order by receiver_turn, due_at, id)
  ), chosen as (
    select id from by_account join open_accounts using (account_id) where account_turn <= room and bytes_before < account_max_bytes order by account_turn, due_at limit most
  ), locked as (
    select one.id from chosen, lateral (
      select d.id from deliveries d where d.id = chosen.id and d.status = 'pending' and coalesce(d.locked_until, '-infinity') = '-infinity' for update skip locked
    ) one
  ), claimed as (
    update deliveries d set attempts = d.attempts + 1, locked_until = now() + lease from locked where d.id = locked.id returning d.*
  ), noted as (
    insert into delivery_attempts (delivery_id, attempt) select id, attempts from claimed
  )
  select * from claimed;
end $$`;
