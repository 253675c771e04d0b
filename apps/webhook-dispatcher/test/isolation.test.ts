import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '@overheard/testing';
import { sql } from 'kysely';
import { createStage, settledTask, type Stage } from './dispatcher.js';
import { receive, type Receiver } from './receiver.js';

const BACKLOG = 10_000;
const DEAD_BACKLOG = 5000;

let stage: Stage;
let pit: Receiver;
let good: Receiver;
let closed: string;
beforeAll(async () => {
  stage = await createStage();
  pit = await receive(() => undefined);
  good = await receive();
  const gone = await receive();
  gone.close();
  closed = gone.host;
  // Two of them, since what holds holds for all dispatchers together.
  for (let count = 0; count < 2; count++) await stage.start({ WEBHOOK_ALLOWED_HOSTS: [pit.host, good.host, closed].join(','), WEBHOOK_RETRY_DELAYS: '1m' });
});
afterAll(async () => {
  pit.behave = (_request, response) => void response.end();
  pit.close();
  await stage.close();
  good.close();
});

/** A backlog that has been due for long; `path` may differ from row to row. */
const pileUp = (accountId: string, host: string, rows: number, path = `'/hook'`) =>
  sql`
    insert into deliveries (task_id, account_id, url, receiver, body, due_at, expires_at)
    select ('ffff' || substr(gen_random_uuid()::text, 5))::uuid, ${accountId}::uuid, 'http://' || ${host}::text || ${sql.raw(path)}, ${accountId}::text || ' ' || md5(${host}::text || ${sql.raw(path)}),
           '{}', now() - interval '1 hour', now() + interval '1 hour'
    from generate_series(1, ${rows}) as i`.execute(stage.database);

/** Twenty new deliveries of an account to the good receiver, until each has arrived. */
async function deliverTwenty(accountId: string): Promise<void> {
  for (let count = 0; count < 20; count++) {
    await stage.announce(await settledTask(stage.database, { accountId, url: `${good.url}/${accountId}` }));
  }
  await until('all deliveries to the good receiver', () => good.hits.filter(({ path }) => path.endsWith(accountId)).length === 20, 30_000);
}

const countDue = async (): Promise<number> =>
  Number((await sql<{ count: string }>`select count(*) from deliveries where due_at < now()`.execute(stage.database)).rows[0]?.count);

describe('isolation', () => {
  it('ten thousand due deliveries of a receiver that hangs delay no other account, and no other receiver of the same account', async () => {
    const [victim, other] = [await stage.account(), await stage.account()];
    await pileUp(victim, pit.host, BACKLOG);
    await until('the first deliveries to the receiver that hangs', () => pit.hits.length === 5);
    await deliverTwenty(other);
    await deliverTwenty(victim);
    expect(pit.hits).toHaveLength(5);
  }, 60_000);

  it('accounts whose receivers refuse at once take turns with the others', async () => {
    const dead = await Promise.all([1, 2, 3, 4].map(() => stage.account()));
    const dueBefore = await countDue();
    for (const accountId of dead) await pileUp(accountId, closed, DEAD_BACKLOG, `'/hook/' || i`);
    await deliverTwenty(await stage.account());
    // All of it was due long before, and would have come first.
    expect((await countDue()) - dueBefore).toBeGreaterThan(2 * DEAD_BACKLOG);
    // In the order in which the dispatcher locks what it records just now.
    await sql`
      with rest as (select id from deliveries where account_id = any (${dead}::uuid[]) order by id for update)
      delete from deliveries using rest where deliveries.id = rest.id`.execute(stage.database);
  }, 60_000);

  it('at most five are under way to one receiver whatever the query, and fifty of one account', async () => {
    const accountId = await stage.account();
    const before = pit.hits.length;
    for (let path = 0; path < 12; path++)
      for (let query = 0; query < 7; query++)
        await stage.announce(await settledTask(stage.database, { accountId, url: `http://${pit.host}/${accountId}/${path}?q=${query}` }));
    await until('fifty under way', () => pit.hits.length - before === 50);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const mine = pit.hits.filter(({ path }) => path.includes(accountId)).map(({ path }) => path.split('?')[0] as string);
    expect(mine).toHaveLength(50);
    for (const path of new Set(mine)) expect(mine.filter((one) => one === path).length).toBeLessThanOrEqual(5);
  }, 60_000);
});
