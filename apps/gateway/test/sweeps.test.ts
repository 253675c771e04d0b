import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { laneOf, SUBJECTS } from '@overheard/bus';
import { createAccount, showAccount } from '@overheard/database';
import { createTestBus, createTestDatabase, silentLogger, type TestBus, type TestDatabase, until } from '@overheard/testing';
import { sql } from 'kysely';
import { Cancellation } from '../src/cancellation.js';
import { config, type Config } from '../src/config.js';
import { Outcomes } from '../src/outcomes.js';
import { type NewRequest, RequestsRepository } from '../src/requests.repository.js';
import { Settlement } from '../src/settlement.js';
import { Submission, TASK_DEADLINE_MS } from '../src/submission.js';
import { SweepsRepository } from '../src/sweeps.repository.js';
import { Sweeps } from '../src/sweeps.js';
import { uuidAt } from '../../../libs/database/test/moving-credits.js';

const CAPS = { queue: 10_000_000, testQueue: 1000 };
const DAY_MS = 86_400_000;

let db: TestDatabase;
let nats: TestBus;
let requests: RequestsRepository;
let submission: Submission;
let sweeps: Sweeps;
let account: string;

beforeAll(async () => {
  [db, nats] = await Promise.all([createTestDatabase(), createTestBus()]);
  const logger = silentLogger();
  const settings: Config = config.parse({ ...db.settings, ...nats.settings, REDIS_URL: 'redis://unused', STORAGE_URL: 'http://unused.example' });
  requests = new RequestsRepository(db.database);
  submission = new Submission(nats.bus, requests, logger);
  const settlement = new Settlement(nats.bus, requests);
  const cancellation = new Cancellation(nats.bus, new Outcomes(nats.bus, requests, settlement, logger), requests);
  sweeps = new Sweeps(nats.bus, cancellation, settlement, submission, new SweepsRepository(db.database), settings, logger);
});

afterAll(async () => {
  await Promise.all([db.drop(), nats.remove()]);
});

beforeEach(async () => {
  ({ accountId: account } = await createAccount(db.database, { name: 'swept', credits: 100 }));
  await Promise.all(['WORK', 'WORK_SYNC', 'OUTCOME', 'EVENTS'].map((stream) => nats.bus.manager.streams.purge(nats.bus.names.stream(stream))));
});

/** An admitted request that costs 5 credits. */
async function admitted(rest: Partial<NewRequest> = {}): Promise<NewRequest> {
  const request: NewRequest = {
    id: uuidAt(Date.now()),
    account_id: account,
    key_id: randomUUID(),
    test: false,
    provider: 'ANY',
    mode: 'async',
    prompt: 'prompt',
    country: 'US',
    priority: 3,
    payload: '{}',
    webhook_url: null,
    idempotency_key: null,
    credits: 5,
    ...rest,
  };
  const [admission] = await requests.admit([request], CAPS);
  expect(admission?.outcome).toBe('admitted');
  return request;
}

/** As `admitted`, and published so many seconds ago. */
async function published(secondsAgo: number): Promise<NewRequest> {
  const request = await admitted();
  await submission.publish({ request, deadlineMs: TASK_DEADLINE_MS });
  const { published_seq: seq } = await until('the publication to be noted', async () => {
    const noted = await row(request.id);
    return noted.publish_count === 1 && noted;
  });
  expect(seq).toBeGreaterThan(0);
  await sql`update requests set published_at = now() - ${secondsAgo} * interval '1 second' where id = ${request.id}`.execute(db.database);
  return request;
}

const row = (id: string) =>
  db.database
    .selectFrom('requests')
    .select(['state', 'publish_count', 'published_at', 'published_seq', 'credits_charged', 'status_code'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

const age = (id: string, seconds: number) =>
  sql`update requests set created_at = now() - ${seconds} * interval '1 second' where id = ${id}`.execute(db.database);

/** The messages of a stream, oldest first. */
async function messagesIn(stream: string): Promise<{ subject: string; message: Record<string, unknown> }[]> {
  const name = nats.bus.names.stream(stream);
  const { state } = await nats.bus.manager.streams.info(name);
  const found = [];
  for (let seq = state.first_seq; state.messages > 0 && seq <= state.last_seq; seq += 1) {
    const stored = await nats.bus.manager.streams.getMessage(name, { seq });
    if (stored) found.push({ subject: stored.subject, message: stored.json<Record<string, unknown>>() });
  }
  return found;
}

const over = (id: string, secondsAgo: number) =>
  db.database
    .insertInto('tasks')
    .values({
      id,
      account_id: account,
      provider: 'ANY',
      status: 'COMPLETED',
      claims: 1,
      charge: true,
      status_code: 200,
      response: '{}',
      completed_at: sql`now() - ${secondsAgo} * interval '1 second'`,
      expires_at: sql`now() + interval '1 day'`,
    })
    .execute();

describe('sweep a: a task admitted and never published', () => {
  test('is published once it is two seconds old, on the lane of its priority, and once only', async () => {
    const [old, young] = [await admitted(), await admitted()];
    await age(old.id, 3);
    await sweeps.publishUnpublished();
    await sweeps.publishUnpublished();
    const messages = await messagesIn('WORK');
    expect(messages.map(({ subject, message }) => [subject, message['id']])).toEqual([[nats.bus.names.subject(SUBJECTS.work('ANY', laneOf(3))), old.id]]);
    expect((await row(young.id)).published_at).toBeNull();
  });

  test('that had reached the stream although nobody noted it is not there twice', async () => {
    const request = await published(0);
    await sql`update requests set published_at = null, publish_count = 0, created_at = now() - interval '3 seconds' where id = ${request.id}`.execute(
      db.database,
    );
    await sweeps.publishUnpublished();
    expect(await messagesIn('WORK')).toHaveLength(1);
  });
});

describe('sweep b: a message that its stream lost', () => {
  test('is published again under a new id; one that is still there, and one whose task is over, are left alone', async () => {
    const [lost, done, healthy, recent] = [await published(61), await published(61), await published(61), await published(10)];
    await over(done.id, 1);
    const { published_seq: lostSeq } = await row(lost.id);
    const { published_seq: doneSeq } = await row(done.id);
    for (const seq of [lostSeq, doneSeq]) await nats.bus.manager.streams.deleteMessage(nats.bus.names.stream('WORK'), seq as number);
    await sweeps.republishLost();
    const ids = (await messagesIn('WORK')).map(({ message }) => message['id']);
    expect(ids).toEqual([healthy.id, recent.id, lost.id]);
    expect((await row(healthy.id)).publish_count).toBe(1);
  });

  test('all of a stream that was made anew are published again', async () => {
    const all = [await published(61), await published(61), await published(61)];
    const name = nats.bus.names.stream('WORK');
    const { config: stream } = await nats.bus.manager.streams.info(name);
    await nats.bus.manager.streams.delete(name);
    await nats.bus.manager.streams.add(stream);
    await sweeps.republishLost();
    expect((await messagesIn('WORK')).map(({ message }) => message['id'])).toEqual(expect.arrayContaining(all.map(({ id }) => id)));
  });
});

describe('sweep c: a task that is over and not settled', () => {
  test('is charged once it has been over for ten seconds, and told to those who deliver', async () => {
    const webhook_url = 'https://receiver.example/';
    const [late, fresh] = [await admitted({ webhook_url }), await admitted({ webhook_url })];
    await over(late.id, 11);
    await over(fresh.id, 1);
    await sweeps.settleUnsettled();
    await sweeps.settleUnsettled();
    expect(await row(late.id)).toMatchObject({ state: 'settled', credits_charged: 5, status_code: 200 });
    expect(await row(fresh.id)).toMatchObject({ state: 'open' });
    expect((await messagesIn('EVENTS')).map(({ message }) => message)).toEqual([{ id: late.id }]);
    expect(await showAccount(db.database, account)).toMatchObject({ granted: 100, balance: 90, reserved: 5, charged: 5 });
  });
});

describe('sweep d: a synchronous request that was never published', () => {
  test('is refused and its hold released once it is ten seconds old', async () => {
    const [old, young] = [await admitted({ mode: 'sync' }), await admitted({ mode: 'sync' })];
    await age(old.id, 11);
    await sweeps.refuseNeverSent();
    expect(await row(old.id)).toMatchObject({ state: 'refused', credits_charged: 0 });
    expect(await row(young.id)).toMatchObject({ state: 'open' });
    expect(await showAccount(db.database, account)).toMatchObject({ balance: 95, reserved: 5, charged: 0 });
  });
});

describe('sweep e: a task that nobody took up for a day', () => {
  test('is said to have timed out; one of an hour ago is not', async () => {
    const [forgotten] = [await admitted({ id: uuidAt(Date.now() - DAY_MS - 60_000) }), await admitted({ id: uuidAt(Date.now() - 3_600_000) })];
    await sweeps.endForgotten();
    const events = (await messagesIn('OUTCOME')).map(({ message }) => message);
    expect(events).toMatchObject([{ id: forgotten?.id, outcome: { status: 'FAILED', error: { details: { reason: 'timeout' } } }, charge: false }]);
  });
});

test('a million healthy tasks in the queue are touched by none of them', async () => {
  // The sweeps look at a thousand of them a turn: those are really in the stream.
  const looked = 3 * 1000;
  // What the tests before it left behind is really lost.
  await db.database.deleteFrom('requests').execute();
  const { seq: first } = await nats.bus.jetstream.publish(nats.bus.names.subject(SUBJECTS.work('ANY', laneOf(1))), '{}', { msgID: 'before the first' });
  await sql`update accounts set outstanding = outstanding + 1000000 where id = ${account}`.execute(db.database);
  await sql`
    insert into requests (id, account_id, key_id, test, provider, mode, priority, payload, credits_to_charge, state, status_code, publish_count, published_at, published_seq)
    select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 3600000 + n), 12, '0') || '7' || substr(md5(n::text), 1, 3) || 'a' || substr(md5(n::text), 4, 15))::uuid,
      ${account}, ${account}, false, 'ANY', 'async', 1, '{}', 0, 'open', 202, 1, now() - interval '10 minutes', ${first} + n
    from generate_series(1, 1000000) n`.execute(db.database);
  const mine = db.database.selectFrom('requests').where('account_id', '=', account);
  for (const { id } of await mine.select('id').orderBy('id').limit(looked).execute()) {
    await nats.bus.jetstream.publish(nats.bus.names.subject(SUBJECTS.work('ANY', laneOf(1))), '{}', { msgID: `${id}:1` });
  }
  // A row that anybody writes gets another xmin.
  const state = () =>
    mine
      .select([sql<number>`count(*)`.as('rows'), sql<string>`min(xmin::text::bigint)`.as('first'), sql<string>`max(xmin::text::bigint)`.as('last')])
      .executeTakeFirst();
  const before = await state();
  expect(before?.rows).toBe(1_000_000);
  for (let turn = 0; turn < 3; turn += 1) {
    await sweeps.publishUnpublished();
    await sweeps.repair();
  }
  expect(await state()).toEqual(before);
  expect((await nats.bus.manager.streams.info(nats.bus.names.stream('WORK'))).state.messages).toBe(looked + 1);
  expect(await messagesIn('OUTCOME')).toHaveLength(0);
}, 400_000);
