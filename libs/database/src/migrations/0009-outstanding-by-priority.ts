import { type Kysely, sql } from 'kysely';
import * as admission from './0002-admission.js';
import * as settlement from './0006-settlement.js';

/** Accounts know how many of their tasks are not over of each priority: admission and settlement count them, since to count a million takes a quarter of a second. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Accounts that have tasks already are counted when they are first asked for it (`outstanding_by_priority_of`).
  await sql`alter table accounts add column outstanding_by_priority integer[] not null default array_fill(0, array[10])`.execute(db);
  await sql.raw(COUNTED).execute(db);
  await sql.raw(OUTSTANDING_BY_PRIORITY_OF).execute(db);
  await admission.up(db);
  await settlement.replaceFunctions(db);
}

/** Counts of the priorities 1 to 10, with so many more or less. A function in SQL would be planned in each statement that calls it. */
export const COUNTED = `
create or replace function counted(counts integer[], priorities smallint[], step integer) returns integer[] language plpgsql immutable as $$
declare
  priority smallint;
begin
  foreach priority in array coalesce(priorities, '{}') loop
    counts[priority] := counts[priority] + step;
  end loop;
  return counts;
end $$`;

// Tasks that were there before are in no count: then these do not add up, and are made anew, once, in a statement of its own
// whose snapshot is newer than the lock.
const OUTSTANDING_BY_PRIORITY_OF = `
create function outstanding_by_priority_of(account uuid) returns integer[] language plpgsql as $$
declare
  found accounts;
begin
  select * into found from accounts where id = account;
  if found.outstanding + found.test_outstanding <> (select sum(count) from unnest(found.outstanding_by_priority) count) then
    select * into found from accounts where id = account for update;
  end if;
  if found.outstanding + found.test_outstanding <> (select sum(count) from unnest(found.outstanding_by_priority) count) then
    update accounts
    set outstanding_by_priority = (
      select array_agg((select count(*) from requests r where r.account_id = account and r.state = 'open' and r.mode = 'async' and r.priority = p.priority) order by p.priority)
      from generate_series(1, 10) as p (priority)
    )
    where id = account returning * into found;
  end if;
  return found.outstanding_by_priority;
end $$`;
