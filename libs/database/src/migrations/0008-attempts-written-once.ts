import { type Kysely, sql } from 'kysely';

/** The delivery says when its last attempt began, and the attempt is written once, when it is over; a claim looks at receivers that have room. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deliveries add column if not exists attempted_at timestamptz`.execute(db);
  // A claim finds an account's receivers by that.
  await sql`alter table deliveries add constraint receiver_begins_with_its_account check (starts_with(receiver, account_id::text))`.execute(db);
  await sql`alter table delivery_attempts reset (fillfactor)`.execute(db);
  await sql`drop function if exists claim_deliveries(integer, integer, interval, integer)`.execute(db);
  await sql.raw(CLAIM_DELIVERIES).execute(db);
}

// Takes what is due as far as there is room for its account and receiver, in turns, and counts each attempt. What is under
// way, wherever, is locked: one claim at a time counts it, so that no two of them fill the same room. A claim lasts until its answer is
// sent: who calls should not ask for more than fits the buffers between, so that a client that is frozen holds up nobody.
// Of each account it looks at some receivers, one by one, from the first and from anywhere, and takes of each what there is room for.
// Where an account has more of them, it looks at its longest due rows as well, whoever's they are; so no backlog costs the others anything.
// The table goes from empty to full and back faster than its statistics: hence the settings, and conditions that fit one index each.
const CLAIM_DELIVERIES = `
create function claim_deliveries(receiver_max integer, account_max integer, lease interval, most integer)
returns setof deliveries language plpgsql set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
declare
  look_rows constant integer := 100;
  look_receivers constant integer := 25;
  account_max_bytes constant bigint := 64 * 1024 * 1024;
begin
  perform pg_advisory_xact_lock(hashtext('claim_deliveries'));
  return query
  with recursive accounts as (
    (select d.account_id, d.due_at from deliveries d where d.status = 'pending' and d.locked_until is null order by d.account_id, d.due_at limit 1)
    union all
    select next.* from accounts a, lateral (
      select d.account_id, d.due_at from deliveries d
      where d.status = 'pending' and d.locked_until is null and d.account_id > a.account_id order by d.account_id, d.due_at limit 1
    ) next
  ), under_way as materialized (
    select d.account_id, d.receiver, octet_length(d.body) as bytes from deliveries d where d.locked_until is not null
  ), busy_receivers as materialized (
    select receiver, count(*)::integer from under_way group by receiver
  ), open_accounts as (
    select account_id, account_max - coalesce(busy.count, 0) as room
    from accounts left join (select account_id, count(*), sum(bytes) as bytes from under_way group by account_id) busy using (account_id)
    where due_at <= now() and coalesce(busy.count, 0) < account_max and coalesce(busy.bytes, 0) <= account_max_bytes
  ), some_receivers as (
    select account_id, (account_id || start) collate "C" as receiver, 0 as step
    from open_accounts, unnest(array['', ' ' || md5(random()::text)]) start
    union all
    select s.account_id, next.receiver, s.step + 1 from some_receivers s, lateral (
      select d.receiver from deliveries d where d.status = 'pending' and d.locked_until is null and d.receiver > s.receiver order by d.receiver limit 1
    ) next
    where s.step < look_receivers and starts_with(next.receiver, s.account_id::text)
  ), open_receivers as (
    select receiver, receiver_max - coalesce(busy.count, 0) as room
    from (select distinct receiver from some_receivers where step > 0) looked_at left join busy_receivers busy using (receiver)
    where coalesce(busy.count, 0) < receiver_max
  ), candidates as (
    select one.* from (select distinct account_id from some_receivers where step = look_receivers) crowded, lateral (
      select d.id, d.account_id, d.receiver, d.due_at, octet_length(d.body) as bytes from deliveries d
      where d.status = 'pending' and d.locked_until is null and d.account_id = crowded.account_id and d.due_at <= now() order by d.due_at limit look_rows
    ) one
    union
    select one.* from open_receivers r, lateral (
      select d.id, d.account_id, d.receiver, d.due_at, octet_length(d.body) as bytes from deliveries d
      where d.status = 'pending' and d.locked_until is null and d.receiver = r.receiver and d.due_at <= now() order by d.due_at limit r.room
    ) one
  ), by_receiver as (
    select *, row_number() over (partition by receiver order by due_at) as receiver_turn from candidates
  ), by_account as (
    select id, account_id, due_at, row_number() over turns as account_turn, sum(bytes) over turns - bytes as bytes_before
    from by_receiver left join busy_receivers busy using (receiver)
    where receiver_turn <= receiver_max - coalesce(busy.count, 0)
    window turns as (partition by account_id order by receiver_turn, due_at, id)
  ), chosen as (
    select id from by_account join open_accounts using (account_id) where account_turn <= room and bytes_before < account_max_bytes order by account_turn, due_at limit most
  ), locked as (
    select one.id from chosen, lateral (
      select d.id from deliveries d where d.id = chosen.id and d.status = 'pending' and coalesce(d.locked_until, '-infinity') = '-infinity' for update skip locked
    ) one
  ), claimed as (
    update deliveries d set attempts = d.attempts + 1, attempted_at = now(), locked_until = now() + lease from locked where d.id = locked.id returning d.*
  )
  select * from claimed;
end $$`;
