import { type Kysely, sql } from 'kysely';

/** Admission and settlement: the two functions that move credits (architecture.md, steps 1 and 5). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(ADMIT).execute(db);
  await sql.raw(SETTLE).execute(db);
}

// Locks first, in id order, so that batches never deadlock; then, as statements of their own with snapshots newer than
// the locks, looks at what is there. A single statement for both would count with credits that are spent already.
const ADMIT = `
create function admit(batch jsonb, queue_cap integer, test_queue_cap integer)
returns table (id uuid, outcome text, created_at timestamptz, balance bigint, first_id uuid)
language plpgsql as $$
#variable_conflict use_column
declare
  account accounts;
  one record;
  accepted uuid[] := '{}';
begin
  perform 1 from accounts where id in (select (value ->> 'account_id')::uuid from jsonb_array_elements(batch)) order by id for update;

  for one in
    select item.*, sha256(convert_to(item.idempotency_key, 'UTF8')) as digest
    from rows from (jsonb_to_recordset(batch) as (id uuid, account_id uuid, test boolean, mode text, idempotency_key text, credits integer)) with ordinality as item
    order by account_id, ordinality
  loop
    if account.id is distinct from one.account_id then
      select * into strict account from accounts where id = one.account_id;
    end if;
    id := one.id;
    created_at := now();
    first_id := (select k.request_id from idempotency_keys k where k.account_id = one.account_id and k.digest = one.digest);
    if first_id is not null then
      outcome := 'reused';
    elsif one.mode = 'async' and (case when one.test then account.test_outstanding >= test_queue_cap else account.outstanding >= queue_cap end) then
      outcome := 'queue_full';
    elsif account.balance < one.credits then
      outcome := 'no_credits';
    else
      outcome := 'admitted';
      accepted := accepted || one.id;
      account.balance := account.balance - one.credits;
      account.outstanding := account.outstanding + (one.mode = 'async' and not one.test)::integer;
      account.test_outstanding := account.test_outstanding + (one.mode = 'async' and one.test)::integer;
      insert into idempotency_keys select one.account_id, one.digest, one.id where one.digest is not null;
    end if;
    balance := account.balance;
    return next;
  end loop;

  with incoming as (
    select * from jsonb_to_recordset(batch) as item (id uuid, account_id uuid, key_id uuid, test boolean, provider text, mode text, prompt text, country text,
      priority smallint, payload text, webhook_url text, idempotency_key text, credits integer)
    where item.id = any (accepted)
  ), inserted as (
    insert into requests (id, account_id, key_id, test, provider, mode, prompt, country, priority, payload, webhook_url, idempotency_key, credits_to_charge, state, status_code)
    select i.id, account_id, key_id, test, provider, mode, prompt, country, priority, payload, webhook_url, idempotency_key, credits, 'open', case mode when 'async' then 202 else 0 end
    from incoming i
  ), sums as (
    select account_id, sum(credits) as held, count(*) filter (where mode = 'async' and not test) as tasks, count(*) filter (where mode = 'async' and test) as test_tasks
    from incoming group by account_id
  )
  update accounts a
  set balance = a.balance - held, reserved = a.reserved + held, outstanding = a.outstanding + tasks, test_outstanding = a.test_outstanding + test_tasks
  from sums where a.id = sums.account_id;
end $$`;

// Only an open request is settled, so a second outcome of the same task changes nothing. Each row comes back with what stands.
// REFUSED is the outcome of a request that never became work: its hold is released and it was none of the account's tasks.
const SETTLE = `
create function settle(batch jsonb)
returns table (id uuid, credits_charged integer, balance bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  ids uuid[] := array(select (value ->> 'id')::uuid from jsonb_array_elements(batch));
begin
  perform 1 from accounts where accounts.id in (select r.account_id from requests r where r.id = any (ids)) order by accounts.id for update;
  perform 1 from requests r where r.id = any (ids) order by r.id for update;

  with outcomes as (
    select distinct on (item.id) item.* from jsonb_to_recordset(batch) as item (id uuid, status text, charge boolean, status_code smallint, completed_at timestamptz)
  ), settled as (
    update requests r
    set state = case when o.status = 'REFUSED' then 'refused' else 'settled' end,
        credits_charged = case when o.charge then r.credits_to_charge else 0 end,
        status_code = case when r.status_code = 499 then 499 else o.status_code end,
        completed_at = o.completed_at,
        latency_ms = coalesce(r.latency_ms, extract(epoch from o.completed_at - r.created_at) * 1000)
    from outcomes o
    where r.id = o.id and r.state = 'open'
    returning r.*, o.status
  ), sums as (
    select account_id, sum(credits_to_charge) as held, sum(settled.credits_charged) as paid,
           count(*) filter (where mode = 'async' and not test) as tasks, count(*) filter (where mode = 'async' and test) as test_tasks
    from settled group by account_id
  ), counted as (
    insert into usage_daily as u (account_id, day, provider, key_id, completed, failed, credits_charged)
    select account_id, (settled.completed_at at time zone 'utc')::date, provider, key_id, count(*) filter (where status = 'COMPLETED'), count(*) filter (where status = 'FAILED'), sum(settled.credits_charged)
    from settled where state = 'settled' group by 1, 2, 3, 4
    on conflict (account_id, day, provider, key_id)
    do update set completed = u.completed + excluded.completed, failed = u.failed + excluded.failed, credits_charged = u.credits_charged + excluded.credits_charged
  )
  update accounts a
  set reserved = a.reserved - sums.held, charged = a.charged + sums.paid, balance = a.balance + sums.held - sums.paid,
      outstanding = a.outstanding - sums.tasks, test_outstanding = a.test_outstanding - sums.test_tasks
  from sums where a.id = sums.account_id;

  return query
    select r.id, r.credits_charged, a.balance from requests r join accounts a on a.id = r.account_id where r.id = any (ids);
end $$`;
