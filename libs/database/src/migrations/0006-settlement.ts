import { type Kysely, sql } from 'kysely';

/** Settlement: the function that turns holds into charges or releases them (architecture.md, step 5); and the marks of publication. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // It had other columns before.
  await sql`drop function if exists settle(jsonb)`.execute(db);
  await replaceFunctions(db);
}

/** In place, so that gateways that are at work meanwhile always find them. */
export async function replaceFunctions(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SETTLE).execute(db);
  await sql.raw(MARK_PUBLISHED).execute(db);
}

// To plan a statement over all days of the request log takes longer than to run it, so these functions keep their plans. When it is run, a plan leaves out
// the days that are not between the first id and the last. Made while a day has few requests it would read all of it until the next `analyze`, by a
// sequential scan or another index: hence the list of ids, and dear entries of indexes.
const KEPT_PLANS = 'set plan_cache_mode = force_generic_plan set enable_seqscan = off set cpu_index_tuple_cost = 1';
/** Of sorted `ids`. */
const AMONG_IDS = 'r.id = any (ids) and r.id between ids[1] and ids[cardinality(ids)]';

// Locks the accounts first, in id order, so that batches never wait for each other in a circle. Only an open request is settled, so a second outcome of the
// same task changes nothing. Each row comes back with what stands.
// REFUSED is the outcome of a request that never became work: its hold is released and it was none of the account's tasks.
const SETTLE = `
create or replace function settle(batch jsonb)
returns table (id uuid, credits_charged integer, balance bigint, has_webhook boolean)
language plpgsql ${KEPT_PLANS} as $$
#variable_conflict use_column
declare
  ids uuid[] := array(select (value ->> 'id')::uuid from jsonb_array_elements(batch) order by 1);
  payers uuid[] := array(select r.account_id from requests r where ${AMONG_IDS});
begin
  perform 1 from accounts where accounts.id = any (payers) order by accounts.id for update;

  return query
  with outcomes as (
    select distinct on (item.id) item.* from jsonb_to_recordset(batch) as item (id uuid, status text, charge boolean, status_code smallint, completed_at timestamptz)
  ), held as materialized (
    select r.id, r.account_id, r.credits_charged, r.webhook_url from requests r where ${AMONG_IDS} order by r.id for update
  ), settled as (
    update requests r
    set state = case when o.status = 'REFUSED' then 'refused' else 'settled' end,
        -- The mark of its publication may come later than the outcome.
        published_at = case when o.status = 'REFUSED' then r.published_at else coalesce(r.published_at, r.created_at) end,
        credits_charged = case when o.charge then r.credits_to_charge else 0 end,
        status_code = case when r.status_code = 499 then 499 else o.status_code end,
        completed_at = o.completed_at,
        latency_ms = coalesce(r.latency_ms, extract(epoch from o.completed_at - r.created_at) * 1000)
    from held join outcomes o on o.id = held.id
    where r.id = held.id and ${AMONG_IDS} and r.state = 'open'
    returning r.*, o.status
  ), sums as (
    select account_id, sum(credits_to_charge) as held, sum(settled.credits_charged) as paid,
           count(*) filter (where mode = 'async' and not test) as tasks, count(*) filter (where mode = 'async' and test) as test_tasks,
           array_agg(priority) filter (where mode = 'async') as priorities
    from settled group by account_id
  ), counted as (
    insert into usage_daily as u (account_id, day, provider, key_id, completed, failed, credits_charged)
    select account_id, (settled.completed_at at time zone 'utc')::date, provider, key_id, count(*) filter (where status = 'COMPLETED'), count(*) filter (where status = 'FAILED'), sum(settled.credits_charged)
    from settled where state = 'settled' group by 1, 2, 3, 4
    on conflict (account_id, day, provider, key_id)
    do update set completed = u.completed + excluded.completed, failed = u.failed + excluded.failed, credits_charged = u.credits_charged + excluded.credits_charged
  ), paid as (
    update accounts a
    set reserved = a.reserved - sums.held, charged = a.charged + sums.paid, balance = a.balance + sums.held - sums.paid,
        outstanding = a.outstanding - sums.tasks, test_outstanding = a.test_outstanding - sums.test_tasks,
        outstanding_by_priority = counted(a.outstanding_by_priority, sums.priorities, -1)
    from sums where a.id = sums.account_id
    returning a.id, a.balance
  )
  select held.id, coalesce(settled.credits_charged, held.credits_charged), coalesce(paid.balance, a.balance), held.webhook_url is not null
  from held join accounts a on a.id = held.account_id left join settled on settled.id = held.id left join paid on paid.id = held.account_id;
end $$`;

const MARK_PUBLISHED = `
create or replace function mark_published(marks jsonb) returns void
language plpgsql ${KEPT_PLANS} as $$
declare
  ids uuid[] := array(select (value ->> 'id')::uuid from jsonb_array_elements(marks) order by 1);
begin
  with held as materialized (select r.id from requests r where ${AMONG_IDS} order by r.id for update)
  update requests r set published_at = greatest(r.created_at, least(item.at, now())), published_seq = item.seq, publish_count = r.publish_count + 1
  from held join jsonb_to_recordset(marks) as item (id uuid, seq bigint, at timestamptz) on item.id = held.id
  where r.id = held.id and ${AMONG_IDS};
end $$`;
