import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { receiverOf } from '@overheard/database';
import type { Running } from '@overheard/runtime';
import { until } from '@overheard/testing';
import { DeliveriesRepository, type Outcome } from '../src/deliveries.repository.js';
import { createStage, settledTask, type Stage, uuidv7 } from './dispatcher.js';
import { receive, type Receiver } from './receiver.js';

let stage: Stage;
let receiver: Receiver;
let deliveries: DeliveriesRepository;
let accountId: string;
const running: Running[] = [];

beforeAll(async () => {
  stage = await createStage();
  receiver = await receive();
  deliveries = new DeliveriesRepository(stage.database);
  accountId = await stage.account();
});
afterEach(async () => {
  for (const one of running.splice(0)) await stage.stop(one);
  receiver.hits.length = 0;
  receiver.behave = (_request, response) => void response.end();
  // What is settled and has no delivery would be found by the next sweep.
  for (const table of ['deliveries', 'tasks'] as const) await stage.database.deleteFrom(table).execute();
});
afterAll(async () => {
  await stage.close();
  receiver.close();
});

const start = async (settings = {}) => void running.push(await stage.start({ WEBHOOK_ALLOWED_HOSTS: receiver.host, ...settings }));

/** A delivery that is due, without anybody who sends it. */
async function dueDelivery(fields: { attempts?: number; expiresAt?: Date; taskId?: string } = {}): Promise<string> {
  const { taskId = uuidv7(), attempts = 0, expiresAt = new Date(Date.now() + 3_600_000) } = fields;
  await stage.database
    .insertInto('deliveries')
    .values({
      task_id: taskId,
      account_id: accountId,
      url: receiver.url,
      receiver: receiverOf(accountId, receiver.url),
      body: Buffer.from('{"task":{}}'),
      attempts,
      due_at: new Date(),
      expires_at: expiresAt,
    })
    .execute();
  return taskId;
}

const statusIs = (taskId: string, status: string) =>
  until(`a delivery that is ${status}`, async () => {
    const delivery = await stage.delivery(accountId, taskId);
    return delivery?.status === status && delivery;
  });

describe('a dispatcher that dies', () => {
  it('between sending and recording: the delivery is sent again under the next number', async () => {
    const taskId = await dueDelivery();
    const [claim] = await deliveries.claim(300, 10);
    expect(claim).toMatchObject({ taskId, attempt: 1 });
    await start();
    const { attempts } = await statusIs(taskId, 'delivered');
    expect(attempts.map(({ attempt, statusCode, error }) => [attempt, statusCode, error])).toEqual([
      [1, null, 'the dispatcher ended before the outcome was known'],
      [2, 200, null],
    ]);
    expect(receiver.hits).toHaveLength(1);
  });

  it('in the last attempt: the delivery is failed, and can be sent again by hand', async () => {
    const taskId = await dueDelivery({ attempts: 4 });
    await deliveries.claim(100, 10);
    await start();
    expect((await statusIs(taskId, 'failed')).attempts.map(({ attempt }) => attempt)).toEqual([5]);
    expect(receiver.hits).toHaveLength(0);
  });

  it('while another one is alive and slow: the slow one keeps its attempt', async () => {
    receiver.behave = (_request, response) => void setTimeout(() => response.end(), 10_000);
    const taskId = await dueDelivery();
    await start();
    await start();
    expect((await statusIs(taskId, 'delivered').catch(() => statusIs(taskId, 'delivered'))).attempts).toHaveLength(1);
    expect(receiver.hits).toHaveLength(1);
  }, 120_000);
});

describe('an outcome that comes late', () => {
  const outcome = (fields: Partial<Outcome>): Outcome => ({
    deliveryId: '',
    attempt: 1,
    statusCode: 200,
    error: null,
    durationMs: 5,
    answer: null,
    retryDelayMs: 60_000,
    ...fields,
  });

  it('counts when it is an acknowledgement, whatever a later attempt says', async () => {
    const taskId = await dueDelivery();
    const [first] = await deliveries.claim(-1, 10);
    await deliveries.recover(5);
    const [second] = await deliveries.claim(10_000, 10);
    const { deliveryId = '' } = first ?? {};
    expect([first?.attempt, second?.attempt]).toEqual([1, 2]);
    expect(await deliveries.record([outcome({ deliveryId, attempt: 1 })])).toEqual(['delivered']);
    expect(await deliveries.record([outcome({ deliveryId, attempt: 2, statusCode: 500, error: 'the receiver answered 500' })])).toEqual([undefined]);
    const delivery = await statusIs(taskId, 'delivered');
    expect(delivery.attempts.map(({ statusCode }) => statusCode)).toEqual([200, 500]);
  });

  it('changes no schedule when it is a failure', async () => {
    const taskId = await dueDelivery();
    const [first] = await deliveries.claim(-1, 10);
    await deliveries.recover(5);
    expect(await deliveries.record([outcome({ deliveryId: first?.deliveryId ?? '', error: 'timeout', statusCode: null })])).toEqual([undefined]);
    const delivery = await stage.delivery(accountId, taskId);
    expect(delivery?.nextAttemptAt?.getTime()).toBeLessThan(Date.now() + 5000);
    expect(delivery?.attempts[0]?.error).toBe('timeout');
  });
});

describe('several dispatchers', () => {
  it('send each delivery once', async () => {
    const tasks = await Promise.all(Array.from({ length: 200 }, () => dueDelivery()));
    await Promise.all([start(), start(), start()]);
    await until('all deliveries', () => receiver.hits.length >= tasks.length, 90_000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(receiver.hits).toHaveLength(tasks.length);
  }, 120_000);
});

describe('a dispatcher that is told to end', () => {
  it('lets what is under way end, records it, and begins nothing new', async () => {
    receiver.behave = (_request, response) => void setTimeout(() => response.end(), 1000);
    const taskId = await dueDelivery();
    await start();
    await until('a delivery under way', () => receiver.hits.length === 1);
    const stopping = stage.stop(running.pop() as Running);
    const later = await dueDelivery();
    await stopping;
    expect((await stage.delivery(accountId, taskId))?.status).toBe('delivered');
    expect((await stage.delivery(accountId, later))?.status).toBe('pending');
    expect(receiver.hits).toHaveLength(1);
  });
});

describe('sweeps', () => {
  it('deliver what was settled without anybody saying so, but nothing that has expired', async () => {
    const completedAt = new Date(Date.now() - 10_000);
    const taskId = await settledTask(stage.database, { accountId, url: receiver.url, completedAt });
    const expired = await settledTask(stage.database, { accountId, url: receiver.url, completedAt, retentionMs: 5000 });
    await start();
    await statusIs(taskId, 'delivered');
    expect(await stage.delivery(accountId, expired)).toBeUndefined();
  });

  it('empty bodies when their tasks expire, fail what was still to come, and forget what has left the request log', async () => {
    const expiresAt = new Date(Date.now() - 1000);
    const expired = await dueDelivery({ expiresAt });
    // Not due, so that only the sweep can touch it.
    await stage.database
      .updateTable('deliveries')
      .set({ due_at: new Date(Date.now() + 60_000) })
      .where('task_id', '=', expired)
      .execute();
    const ancient = await dueDelivery({ taskId: '01800000-0000-7000-8000-000000000000' });
    const kept = await dueDelivery();
    await start();
    await statusIs(expired, 'failed');
    const { body } = await stage.database.selectFrom('deliveries').select('body').where('task_id', '=', expired).executeTakeFirstOrThrow();
    expect(body).toBeNull();
    await until('the ancient one gone', async () => (await stage.delivery(accountId, ancient)) === undefined);
    await statusIs(kept, 'delivered');
  });
});

describe('large answers', () => {
  it('five megabytes arrive whole', async () => {
    const response = JSON.stringify({ text: 'ü'.repeat(2_500_000) });
    const taskId = await settledTask(stage.database, { accountId, url: receiver.url, response });
    await start();
    await stage.announce(taskId);
    await statusIs(taskId, 'delivered');
    expect(receiver.hits[0]?.raw.includes(response)).toBe(true);
  });
});
