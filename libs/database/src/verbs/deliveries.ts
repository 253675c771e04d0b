import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../database.js';
import type { DeliveryStatus } from '../schema/deliveries.js';
import { showAccount } from './accounts.js';
import { NotFound } from './not-found.js';
import { taskRead } from './read-task.js';

/** An attempt whose outcome is known. */
export interface AttemptView {
  attempt: number;
  at: Date;
  statusCode: number | null;
  durationMs: number | null;
  error: string | null;
}

/** A delivery with its attempts (decision X6). */
export interface DeliveryView {
  deliveryId: string;
  taskId: string;
  url: string;
  status: DeliveryStatus;
  nextAttemptAt: Date | null;
  attempts: AttemptView[];
}

/** A delivery with what is sent, and how receivers answered. */
export interface DeliveryShown extends DeliveryView {
  createdAt: Date;
  expiresAt: Date;
  /** Null once the task has expired. */
  body: Buffer | null;
  attempts: (AttemptView & { answer: Buffer | null })[];
}

export interface DeliveriesWanted {
  accountId: string;
  taskId?: string | undefined;
  status?: DeliveryStatus | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
  limit: number;
}

/** Deliveries to be sent again together: an account's that were made of late and stand at `status`. */
export interface RedeliveryRange {
  accountId: string;
  sinceMs: number;
  status: DeliveryStatus;
}

/** What a task read says of its webhook (decision S3). */
export interface WebhookView {
  url: string;
  status: DeliveryStatus;
  attempts: number;
  lastStatusCode: number | null;
  nextAttemptAt: Date | null;
}

/** The task behind a delivery has expired, and the body with it. */
export class BodyGone extends Error {
  override name = 'BodyGone';
}

const TEST_KEPT_MS = 24 * 60 * 60 * 1000;

const nextAttemptAt = sql<Date | null>`case when status = 'pending' then due_at end`;

/** A page of an account's deliveries, newest first. */
export async function listDeliveries(database: Database, wanted: DeliveriesWanted): Promise<{ deliveries: DeliveryView[]; nextCursor: string | null }> {
  const { accountId, taskId, status, cursor, limit } = wanted;
  const rows = await selectDeliveries(database)
    .where('account_id', '=', accountId)
    .$if(taskId !== undefined, (query) => query.where('task_id', '=', taskId as string))
    .$if(status !== undefined, (query) => query.where('status', '=', status as DeliveryStatus))
    .$if(cursor !== undefined, (query) => query.where(sql<boolean>`(created_at, id) < (select created_at, id from deliveries where id = ${cursor})`))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const deliveries = await withAttempts(database, rows);
  return { deliveries, nextCursor: rows.length === limit ? (rows.at(-1)?.deliveryId ?? null) : null };
}

/** One of an account's deliveries, with everything that is known of it. Throws `NotFound`. */
export async function showDelivery(database: Database, { deliveryId, accountId }: { deliveryId: string; accountId: string }): Promise<DeliveryShown> {
  const delivery = await selectDeliveries(database)
    .select(['created_at as createdAt', 'expires_at as expiresAt', 'body'])
    .where('id', '=', deliveryId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (!delivery) throw new NotFound(`there is no delivery ${deliveryId}`);
  return { ...delivery, attempts: await selectAttempts(database, [deliveryId]).select('answer').execute() };
}

/** Makes a delivery due at once, whatever came of it before; a pending attempt is replaced by this one. Throws `NotFound`, `BodyGone`. */
export async function redeliver(database: Database, { deliveryId, accountId }: { deliveryId: string; accountId?: string | undefined }): Promise<DeliveryView> {
  const { numUpdatedRows } = await database
    .updateTable('deliveries')
    .set({ status: 'pending', due_at: sql`now()` })
    .where('id', '=', deliveryId)
    .where('body', 'is not', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId as string))
    .executeTakeFirst();
  const rows = await selectDeliveries(database)
    .where('id', '=', deliveryId)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId as string))
    .execute();
  const [delivery] = await withAttempts(database, rows);
  if (!delivery) throw new NotFound(`there is no delivery ${deliveryId}`);
  if (numUpdatedRows === 0n) throw new BodyGone(`the task of delivery ${deliveryId} has expired, and what was to be delivered with it`);
  return delivery;
}

/** Makes a range of deliveries due at once, in the order in which they were made. `expired` are those whose bodies are gone. Throws `NotFound`. */
export async function redeliverRange(database: Database, { accountId, sinceMs, status }: RedeliveryRange): Promise<{ redelivered: number; expired: number }> {
  await showAccount(database, accountId);
  // What a dispatcher is at this moment writing to is skipped: it is being sent anyway, and waiting for it could end in a deadlock.
  const { rows } = await sql<{ redelivered: number; expired: number }>`
    with wanted as (
      select id, body is not null and expires_at > now() as "isThere", row_number() over (order by created_at, id) as turn
      from deliveries where account_id = ${accountId} and status = ${status} and created_at >= now() - ${sinceMs} * interval '1 millisecond'
    ), locked as (
      select d.id, turn from deliveries d join wanted using (id) where "isThere" and d.status = ${status} for update of d skip locked
    ), redelivered as (
      update deliveries d set status = 'pending', due_at = now() + turn * interval '1 microsecond' from locked where d.id = locked.id returning d.id
    )
    select (select count(*) from redelivered)::int as redelivered, (select count(*) from wanted where not "isThere")::int as expired`.execute(database);
  return rows[0] ?? { redelivered: 0, expired: 0 };
}

/**
 * Sends the read of a task that never was to an address: due at once, signed, tried and logged like any other. Whether the
 * address may be reached is for the dispatcher to say, in the log. Throws `NotFound`.
 */
export async function sendTestDelivery(database: Database, { accountId, url }: { accountId: string; url: string }): Promise<DeliveryView> {
  await showAccount(database, accountId);
  const now = new Date();
  const expiresAt = new Date(now.getTime() + TEST_KEPT_MS);
  const taskId = testTaskId(now);
  const { id } = await database
    .insertInto('deliveries')
    .values({
      task_id: taskId,
      account_id: accountId,
      url,
      receiver: receiverOf(accountId, url),
      body: testBody(taskId, now, expiresAt),
      due_at: sql`now()`,
      expires_at: expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { deliveryId: id, taskId, url, status: 'pending', nextAttemptAt: now, attempts: [] };
}

/** Whose deliveries wait for each other: an account's to one url, whatever its query (decision W6). Begins with the account, so that an account's stand together. */
export function receiverOf(accountId: string, url: string): string {
  const { origin, pathname } = new URL(url);
  return `${accountId} ${createHash('sha256').update(`${origin}${pathname}`).digest('hex').slice(0, 32)}`;
}

/** How a task's webhook stands; undefined for a task without one. */
export async function webhookOf(database: Database, taskId: string): Promise<WebhookView | undefined> {
  const { rows } = await sql<WebhookView>`
    select r.webhook_url as url, coalesce(d.status, 'pending') as status, count(a.attempt)::int as attempts,
           (array_agg(a.status_code order by a.attempt desc))[1] as "lastStatusCode", ${nextAttemptAt} as "nextAttemptAt"
    from requests r
    left join deliveries d on d.task_id = r.id
    left join delivery_attempts a on a.delivery_id = d.id
    where r.id = ${taskId} and r.webhook_url is not null
    group by r.webhook_url, d.id`.execute(database);
  return rows[0];
}

const selectDeliveries = (database: Database) =>
  database.selectFrom('deliveries').select(['id as deliveryId', 'task_id as taskId', 'url', 'status', nextAttemptAt.as('nextAttemptAt')]);

const selectAttempts = (database: Database, ids: string[]) =>
  database
    .selectFrom('delivery_attempts')
    .select(['attempt', 'at', 'status_code as statusCode', 'duration_ms as durationMs', 'error'])
    .where('delivery_id', 'in', ids)
    .orderBy('attempt');

async function withAttempts(database: Database, deliveries: Omit<DeliveryView, 'attempts'>[]): Promise<DeliveryView[]> {
  if (deliveries.length === 0) return [];
  const ids = deliveries.map(({ deliveryId }) => deliveryId);
  const attempts = await selectAttempts(database, ids).select('delivery_id').execute();
  const byDelivery = new Map<string, AttemptView[]>(deliveries.map(({ deliveryId }) => [deliveryId, []]));
  for (const { delivery_id, ...attempt } of attempts) byDelivery.get(delivery_id)?.push(attempt);
  return deliveries.map((delivery) => ({ ...delivery, attempts: byDelivery.get(delivery.deliveryId) ?? [] }));
}

/** Made of the time as the gateway's are, since the log is cleared by it. */
function testTaskId(now: Date): string {
  const hex = now.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Has letters beyond ASCII in it, on which careless receivers stumble. */
function testBody(taskId: string, now: Date, expiresAt: Date): Buffer {
  const text = taskRead({
    id: taskId,
    provider: 'TEST',
    priority: 1,
    state: 'settled',
    idempotencyKey: null,
    webhookUrl: null,
    creditsToCharge: 0,
    creditsCharged: 0,
    createdAt: now,
    status: 'COMPLETED',
    startedAt: now,
    completedAt: now,
    expiresAt,
    expired: false,
    attempts: 1,
    response: '{"text":"A test delivery: Größe 漢字 🚲"}',
    quality: null,
    error: null,
  });
  return Buffer.from(text);
}
