import { until } from '@overheard/testing';
import type { Database } from '@overheard/database';
import { sql } from 'kysely';
import type { Stack } from './stack.js';

/** What has to be true of every database at rest, whatever died before: each rule with a query for those that break it. */
const RULES: Record<string, string> = {
  'balance + reserved + charged = granted, and nothing is below zero':
    'select id from accounts where balance + reserved + charged <> granted or least(balance, reserved, charged) < 0',
  'granted is what was granted': 'select id from accounts a where granted <> (select coalesce(sum(credits), 0) from grants g where g.account_id = a.id)',
  'reserved is what open requests hold':
    "select id from accounts a where reserved <> (select coalesce(sum(credits_to_charge), 0) from requests r where r.account_id = a.id and state = 'open')",
  'charged is what settled requests cost':
    'select id from accounts a where charged <> (select coalesce(sum(credits_charged), 0) from requests r where r.account_id = a.id)',
  'the usage adds up to what was charged':
    'select id from accounts a where charged <> (select coalesce(sum(credits_charged), 0) from usage_daily u where u.account_id = a.id)',
  'the usage counts each settled request once': `select id from accounts a where (select coalesce(sum(completed + failed), 0) from usage_daily u where u.account_id = a.id)
    <> (select count(*) from requests r where r.account_id = a.id and state = 'settled')`,
  'the queue cap counts the tasks that are not over':
    "select id from accounts a where outstanding + test_outstanding <> (select count(*) from requests r where r.account_id = a.id and state = 'open' and mode = 'async')",
  'the status counts them by their priority': `select a.id from accounts a, unnest(outstanding_by_priority) with ordinality as c (count, priority)
    where count <> (select count(*) from requests r where r.account_id = a.id and state = 'open' and mode = 'async' and r.priority = c.priority)`,
  'no task that is over holds credits': "select r.id from requests r join tasks t using (id) where state = 'open' and t.completed_at is not null",
  'what is settled is over':
    "select id from requests r where state = 'settled' and not exists (select from tasks t where t.id = r.id and t.completed_at is not null)",
  'each request is charged by the outcome that stands, in full or not at all': `select r.id from requests r join tasks t using (id)
    where state = 'settled' and r.credits_charged <> case when t.charge then r.credits_to_charge else 0 end`,
  'what is completed has an answer, and what failed an error': `select id from tasks where status = 'COMPLETED' and (response is null or error is not null)
    or status = 'FAILED' and (error is null or response is not null) or status in ('COMPLETED', 'FAILED') and completed_at is null`,
  'every webhook that is due is delivered or given up': `select r.id from requests r where state = 'settled' and webhook_url is not null
    and not exists (select from deliveries d where d.task_id = r.id and d.status in ('delivered', 'failed'))`,
  'what is delivered was acknowledged': `select id from deliveries d where status = 'delivered'
    and not exists (select from delivery_attempts a where a.delivery_id = d.id and a.status_code between 200 and 299)`,
  'attempts are numbered without a gap':
    'select id from deliveries d where attempts <> (select coalesce(max(attempt), 0) from delivery_attempts a where a.delivery_id = d.id) or attempts <> (select count(*) from delivery_attempts a where a.delivery_id = d.id)',
  'an idempotency key leads to one request':
    'select request_id from idempotency_keys k where not exists (select from requests r where r.id = k.request_id and r.account_id = k.account_id)',
};

/** The rules that are broken, with some of the rows that break them. */
export async function brokenRules(database: Database): Promise<Record<string, string[]>> {
  const broken: Record<string, string[]> = {};
  for (const [rule, query] of Object.entries(RULES)) {
    const { rows } = await sql<{ id: string }>`select * from (${sql.raw(query)}) as broken (id) limit 5`.execute(database);
    if (rows.length > 0) broken[rule] = rows.map(({ id }) => id);
  }
  return broken;
}

/** Waits until every request is settled or refused and no delivery waits any more, then holds the database against the rules. Gives the seconds that it took. */
export async function nothingLost({ database }: Pick<Stack, 'database'>, withinMs = 60_000): Promise<number> {
  const began = Date.now();
  const left = async (): Promise<number> => {
    const { rows } = await sql<{ left: number }>`
      select (select count(*) from requests where state = 'open') + (select count(*) from deliveries where status = 'pending')
        + (select count(*) from requests r where state = 'settled' and webhook_url is not null and not exists (select from deliveries d where d.task_id = r.id)) as left`.execute(
      database,
    );
    return Number(rows[0]?.left);
  };
  let last: number | string = 'unknown';
  await until(
    'everything to be over',
    async () => {
      // The database may be one of those that were harmed.
      last = await left().catch((error: Error) => error.message);
      return last === 0;
    },
    withinMs,
  ).catch(async (error: Error) => {
    const { rows } = await sql`
      select r.id, r.mode, r.state, r.created_at, publish_count, published_at, published_seq, t.status, claims, started_at, t.completed_at, d.status as delivery
      from requests r left join tasks t using (id) left join deliveries d on d.task_id = r.id
      where r.state = 'open' or d.status = 'pending' or (r.state = 'settled' and webhook_url is not null and d.id is null) limit 5`.execute(database);
    throw new Error(`${error.message}: ${last} left, such as ${JSON.stringify(rows, undefined, 1)}`);
  });
  const broken = await brokenRules(database);
  if (Object.keys(broken).length > 0) throw new Error(`rules are broken: ${JSON.stringify(broken, undefined, 2)}`);
  return (Date.now() - began) / 1000;
}
