import { type Kysely, sql } from 'kysely';

/** Admission: the function that reserves credits (architecture.md, step 1). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(ADMIT).execute(db);
}

// Locks first, in id order, so that batches never deadlock; then, as statements of their own with snapshots newer than
// the locks, looks at what is there. A single statement for both would count with credits that are spent already.
const ADMIT = `
create or replace function admit(batch jsonb, queue_cap integer, test_queue_cap integer)
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
    first_id := null;
    if one.digest is not null then
      select k.request_id into first_id from idempotency_keys k where k.account_id = one.account_id and k.digest = one.digest;
    end if;
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
      if one.digest is not null then
        insert into idempotency_keys values (one.account_id, one.digest, one.id);
      end if;
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
    select account_id, sum(credits) as held, count(*) filter (where mode = 'async' and not test) as tasks, count(*) filter (where mode = 'async' and test) as test_tasks,
           array_agg(priority) filter (where mode = 'async') as priorities
    from incoming group by account_id
  )
  update accounts a
  set balance = a.balance - held, reserved = a.reserved + held, outstanding = a.outstanding + tasks, test_outstanding = a.test_outstanding + test_tasks,
      outstanding_by_priority = counted(a.outstanding_by_priority, priorities, 1)
  from sums where a.id = sums.account_id;
end $$`;
