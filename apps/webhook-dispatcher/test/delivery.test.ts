import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  disableSigning,
  enableSigning,
  signingSince,
  listDeliveries,
  readTasks,
  redeliver,
  redeliverRange,
  rotateSigning,
  sendTestDelivery,
  taskRead,
  webhookOf,
} from '@overheard/database';
import { until } from '@overheard/testing';
import { createStage, ENCRYPTION_KEY, settledTask, type Stage } from './dispatcher.js';
import { answer, receive, type Receiver } from './receiver.js';

const key = Buffer.from(ENCRYPTION_KEY, 'base64');
let stage: Stage;
let receivers: Receiver[];
let used = 0;

beforeAll(async () => {
  stage = await createStage();
  receivers = await Promise.all(Array.from({ length: 14 }, () => receive()));
  await stage.start({ WEBHOOK_ALLOWED_HOSTS: receivers.map(({ host }) => host).join(',') });
});
afterAll(async () => {
  await stage.close();
  for (const receiver of receivers) receiver.close();
});

const nextReceiver = (behave = answer(200)): Receiver => Object.assign(receivers[used++] as Receiver, { behave });

async function deliver(receiver: Receiver, accountId?: string) {
  const account = accountId ?? (await stage.account());
  const taskId = await settledTask(stage.database, { accountId: account, url: receiver.url });
  await stage.announce(taskId);
  return { accountId: account, taskId };
}

const over = ({ accountId, taskId }: { accountId: string; taskId: string }) =>
  until('a delivery that is over', async () => {
    const delivery = await stage.delivery(accountId, taskId);
    return delivery && delivery.status !== 'pending' && delivery;
  });

describe('a delivery', () => {
  it('carries the task read byte for byte, and starts within moments of the event', async () => {
    const receiver = nextReceiver();
    const startedAt = Date.now();
    const { accountId, taskId } = await deliver(receiver);
    const hit = await until('a delivery', () => receiver.hits[0]);
    expect(hit.at - startedAt).toBeLessThan(1000);
    const [row] = await readTasks(stage.database, [{ accountId, id: taskId }]);
    expect(hit.raw.toString()).toBe(taskRead(row as NonNullable<typeof row>));
    expect(JSON.parse(hit.raw.toString()).task.id).toBe(taskId);
  });

  it('unsigned carries Content-Type and User-Agent, and nothing else of ours', async () => {
    const receiver = nextReceiver();
    await deliver(receiver);
    const { headers } = await until('a delivery', () => receiver.hits[0]);
    expect(Object.keys(headers).sort()).toEqual(['connection', 'content-length', 'content-type', 'host', 'user-agent']);
    expect([headers['content-type'], headers['user-agent']]).toEqual(['application/json', 'Overheard-Webhooks/1.0']);
  });

  it('comes once however often its event comes', async () => {
    const receiver = nextReceiver();
    const task = await deliver(receiver);
    await Promise.all([1, 2, 3].map(() => stage.announce(task.taskId)));
    await over(task);
    await stage.announce(task.taskId);
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(receiver.hits).toHaveLength(1);
  });

  it('is made for tasks with a webhook only', async () => {
    const accountId = await stage.account();
    const taskId = await settledTask(stage.database, { accountId, url: null });
    await stage.announce(taskId);
    const receiver = nextReceiver();
    await over(await deliver(receiver, accountId));
    expect(await stage.delivery(accountId, taskId)).toBeUndefined();
    expect(await webhookOf(stage.database, taskId)).toBeUndefined();
  });

  it('is tried five times with growing delays, signed anew each time, then is failed, and sent again by hand', async () => {
    const receiver = nextReceiver(answer(500));
    const accountId = await stage.account();
    const { secret = '' } = await enableSigning(stage.database, key, accountId);
    const task = await deliver(receiver, accountId);
    const failed = await over(task);
    expect([failed.status, failed.nextAttemptAt, failed.url]).toEqual(['failed', null, receiver.url]);
    expect(failed.attempts.map(({ attempt, statusCode, error }) => [attempt, statusCode, error])).toEqual(
      [1, 2, 3, 4, 5].map((attempt) => [attempt, 500, 'the receiver answered 500']),
    );
    expect(await webhookOf(stage.database, task.taskId)).toEqual({
      url: receiver.url,
      status: 'failed',
      attempts: 5,
      lastStatusCode: 500,
      nextAttemptAt: null,
    });

    const hits = [...receiver.hits];
    const gaps = hits.slice(1).map((hit, index) => hit.at - (hits[index]?.at ?? 0));
    for (const [index, delay] of [100, 200, 300, 400].entries()) {
      expect(gaps[index]).toBeGreaterThanOrEqual(delay - 10);
      expect(gaps[index]).toBeLessThan(delay * 1.1 + 1000);
    }
    expect(hits.map(({ headers }) => headers['x-service-webhook-id'])).toEqual([1, 2, 3, 4, 5].map((attempt) => `${task.taskId}-${attempt}`));
    expect(new Set(hits.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([task.taskId]));
    expect(new Set(hits.map(({ raw }) => raw.toString())).size).toBe(1);
    for (const { headers, raw } of hits) {
      const ours = createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(raw).digest('hex');
      expect(headers['x-service-signature']).toBe(`v1=${ours}`);
    }

    receiver.behave = answer(204);
    const again = await redeliver(stage.database, { deliveryId: failed.deliveryId });
    expect([again.status, again.attempts.length]).toEqual(['pending', 5]);
    const delivered = await over(task);
    expect([delivered.status, delivered.attempts.at(-1)?.attempt, delivered.attempts.at(-1)?.statusCode]).toEqual(['delivered', 6, 204]);
    expect(receiver.hits.at(-1)?.headers['x-service-webhook-id']).toBe(`${task.taskId}-6`);
    expect(receiver.hits.at(-1)?.raw.equals((hits[0] as (typeof hits)[0]).raw)).toBe(true);
  });

  it('sent again by hand replaces the attempt that was to come', async () => {
    const receiver = nextReceiver(answer(503, 200));
    const task = await deliver(receiver);
    const pending = await until('a first attempt', async () => {
      const delivery = await stage.delivery(task.accountId, task.taskId);
      return delivery?.attempts.length === 1 && delivery;
    });
    // As if the next attempt were far away.
    await stage.database
      .updateTable('deliveries')
      .set({ due_at: new Date(Date.now() + 60_000) })
      .where('id', '=', pending.deliveryId)
      .execute();
    await redeliver(stage.database, { deliveryId: pending.deliveryId, accountId: task.accountId });
    expect((await over(task)).attempts.map(({ statusCode }) => statusCode)).toEqual([503, 200]);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(receiver.hits).toHaveLength(2);
  });

  it('is refused by hand when it is unknown, foreign, or its task has expired', async () => {
    const task = await deliver(nextReceiver());
    const { deliveryId } = await over(task);
    await expect(redeliver(stage.database, { deliveryId: randomUUID() })).rejects.toMatchObject({ name: 'NotFound' });
    await expect(redeliver(stage.database, { deliveryId, accountId: randomUUID() })).rejects.toMatchObject({ name: 'NotFound' });
    await stage.database
      .updateTable('deliveries')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', deliveryId)
      .execute();
    await expect(redeliver(stage.database, { deliveryId })).rejects.toMatchObject({ name: 'BodyGone' });
  });

  it('is listed newest first, page by page, by task and by status', async () => {
    const receiver = nextReceiver();
    const accountId = await stage.account();
    const tasks = [];
    for (let count = 0; count < 3; count++) {
      tasks.push(await deliver(receiver, accountId));
      await over(tasks[count] as (typeof tasks)[0]);
    }
    const newestFirst = tasks.map(({ taskId }) => taskId).reverse();
    const list = async (wanted: object) => {
      const page = await listDeliveries(stage.database, { accountId, limit: 100, ...wanted });
      return { ...page, ids: page.deliveries.map(({ taskId }) => taskId) };
    };
    expect((await list({})).ids).toEqual(newestFirst);
    const first = await list({ limit: 2 });
    const second = await list({ limit: 2, cursor: first.nextCursor });
    expect([...first.ids, ...second.ids, second.nextCursor]).toEqual([...newestFirst, null]);
    expect((await list({ taskId: newestFirst[1] })).ids).toEqual([newestFirst[1]]);
    expect([(await list({ status: 'failed' })).ids, (await list({ status: 'delivered' })).ids.length]).toEqual([[], 3]);
    expect((await list({ accountId: randomUUID() })).ids).toEqual([]);
  });
});

describe('a range', () => {
  it('is sent again by hand in order: the dead letters of the time given, of one account, whose bodies are there', async () => {
    const receiver = nextReceiver(answer(500));
    const accountId = await stage.account();
    const tasks = [];
    for (let count = 0; count < 4; count++) {
      tasks.push(await deliver(receiver, accountId));
      await over(tasks[count] as (typeof tasks)[0]);
    }
    const [old, expired, first, second] = tasks.map(({ taskId }) => taskId) as [string, string, string, string];
    const at = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    await stage.database
      .updateTable('deliveries')
      .set({ created_at: at(3) })
      .where('task_id', '=', old)
      .execute();
    await stage.database
      .updateTable('deliveries')
      .set({ expires_at: at(1) })
      .where('task_id', '=', expired)
      .execute();
    const range = { accountId, sinceMs: 2 * 3_600_000, status: 'failed' as const };
    expect(await redeliverRange(stage.database, { ...range, accountId: await stage.account() })).toEqual({ redelivered: 0, expired: 0 });
    expect(await redeliverRange(stage.database, { ...range, status: 'delivered' })).toEqual({ redelivered: 0, expired: 0 });

    receiver.behave = answer(200);
    const before = receiver.hits.length;
    expect(await redeliverRange(stage.database, range)).toEqual({ redelivered: 2, expired: 1 });
    const statuses = await until('both to be delivered', async () => {
      const { deliveries } = await listDeliveries(stage.database, { accountId, limit: 10 });
      const found = Object.fromEntries(deliveries.map(({ taskId, status }) => [taskId, status]));
      return found[first] === 'delivered' && found[second] === 'delivered' && found;
    });
    expect(statuses).toEqual({ [old]: 'failed', [expired]: 'failed', [first]: 'delivered', [second]: 'delivered' });
    expect(
      receiver.hits
        .slice(before)
        .map(({ raw }) => JSON.parse(raw.toString()).task.id)
        .sort(),
    ).toEqual([first, second].sort());
    await expect(redeliverRange(stage.database, { ...range, accountId: randomUUID() })).rejects.toMatchObject({ name: 'NotFound' });
  });
});

describe('a test delivery', () => {
  it('is signed, sent and logged like any other, has the form of a task read, and costs nothing', async () => {
    const receiver = nextReceiver();
    const accountId = await stage.account();
    const { secret = '' } = await enableSigning(stage.database, key, accountId);
    const { taskId, deliveryId } = await sendTestDelivery(stage.database, { accountId, url: receiver.url });
    expect(await over({ accountId, taskId })).toMatchObject({
      deliveryId,
      status: 'delivered',
      url: receiver.url,
      attempts: [{ attempt: 1, statusCode: 200 }],
    });
    const { headers, raw } = receiver.hits[0] as (typeof receiver.hits)[0];
    const ours = createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.`).update(raw).digest('hex');
    expect([headers['x-service-signature'], headers['webhook-id']]).toEqual([`v1=${ours}`, taskId]);
    expect(JSON.parse(raw.toString())).toMatchObject({
      task: { id: taskId, taskType: 'TEST', status: 'COMPLETED' },
      credits: { creditsToCharge: 0, creditsCharged: 0 },
      response: { text: expect.stringContaining('漢字') },
    });
  });

  it('to an address that is not public fails in the log, and one for an account that is not there is refused', async () => {
    const accountId = await stage.account();
    const { taskId } = await sendTestDelivery(stage.database, { accountId, url: 'http://169.254.169.254/' });
    const failed = await over({ accountId, taskId });
    expect([failed.status, failed.attempts[0]?.error]).toEqual(['failed', expect.stringMatching(/^blocked address/)]);
    await expect(sendTestDelivery(stage.database, { accountId: randomUUID(), url: 'http://example.com/' })).rejects.toMatchObject({ name: 'NotFound' });
  });
});

describe('signing', () => {
  it('shows its secret once, signs with the new one after a rotation, and stops when disabled', async () => {
    const accountId = await stage.account();
    const receiver = nextReceiver();
    const { secret, enabled } = await enableSigning(stage.database, key, accountId);
    expect([enabled, secret]).toEqual([true, expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)]);
    expect(await enableSigning(stage.database, key, accountId)).toEqual({ enabled: true });
    const { secret: fresh = '' } = await rotateSigning(stage.database, key, accountId);
    expect(fresh).not.toBe(secret);

    await over(await deliver(receiver, accountId));
    const [hit] = receiver.hits;
    const standardKey = Buffer.from(fresh.slice(6), 'base64');
    const signed = Buffer.concat([Buffer.from(`${hit?.headers['webhook-id']}.${hit?.headers['webhook-timestamp']}.`), hit?.raw as Buffer]);
    expect(hit?.headers['webhook-signature']).toBe(`v1,${createHmac('sha256', standardKey).update(signed).digest('base64')}`);
    expect(Math.abs(Number(hit?.headers['x-service-timestamp']) - Date.now() / 1000)).toBeLessThan(3);

    expect(await disableSigning(stage.database, accountId)).toEqual({ enabled: false });
    expect(await signingSince(stage.database, accountId)).toBeUndefined();
    await over(await deliver(receiver, accountId));
    expect(Object.keys(receiver.hits[1]?.headers ?? {}).filter((name) => /^(x-service|webhook)-/.test(name))).toEqual([]);
    await expect(rotateSigning(stage.database, key, accountId)).rejects.toMatchObject({ name: 'NotFound' });
  });

  it('keeps no secret in the clear, and a delivery that can not be signed does not go out', async () => {
    const accountId = await stage.account();
    const receiver = nextReceiver();
    const { secret = '' } = await enableSigning(stage.database, Buffer.alloc(32, 1), accountId);
    const { secret: stored } = await stage.database
      .selectFrom('signing_secrets')
      .select('secret')
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    expect(stored.includes(secret.slice(6, 20))).toBe(false);
    const delivery = await over(await deliver(receiver, accountId));
    expect([delivery.status, delivery.attempts[0]?.error, receiver.hits.length]).toEqual(['failed', 'the delivery could not be signed', 0]);
  });
});
