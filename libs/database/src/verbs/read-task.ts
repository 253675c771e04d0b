import type { TaskStatus } from '@overheard/contracts';
import { sql } from 'kysely';
import type { Database } from '../database.js';

/** A task as it is read: the request's row with the task's. JSON texts are as they were stored. */
export interface TaskRow {
  id: string;
  provider: string;
  priority: number;
  state: string;
  idempotencyKey: string | null;
  webhookUrl: string | null;
  creditsToCharge: number;
  creditsCharged: number | null;
  createdAt: Date;
  status: 'PROCESSING' | 'COMPLETED' | 'FAILED' | null;
  startedAt: Date | null;
  completedAt: Date | null;
  expiresAt: Date | null;
  expired: boolean | null;
  attempts: number | null;
  response: string | null;
  quality: string | null;
  error: string | null;
}

/** A task as an account asks for it. */
export interface TaskKey {
  accountId: string;
  id: string;
}

/** Accounts' tasks or synchronous requests, in the order asked; undefined what is unknown, was refused, or whose time is over (architecture.md, step 6). */
export async function readTasks(database: Database, keys: TaskKey[]): Promise<(TaskRow | undefined)[]> {
  const rows = await selectTasks(database)
    .select(['requests.account_id as accountId', 'response'])
    .where('requests.id', '=', sql<string>`any(${keys.map(({ id }) => id)}::uuid[])`)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return keys.map(({ accountId, id }) => {
    const row = byId.get(id);
    const isGone = !row || row.accountId !== accountId || row.state === 'refused' || (row.state === 'settled' && (row.status === null || row.expired === true));
    return isGone ? undefined : row;
  });
}

/** The rows of requests with their tasks, without the answer, for whoever asks on. */
export const selectTasks = (database: Database) =>
  database
    .selectFrom('requests')
    .leftJoin('tasks', 'tasks.id', 'requests.id')
    .select([
      'requests.id',
      sql<string>`requests.provider`.as('provider'),
      'priority',
      'state',
      'idempotency_key as idempotencyKey',
      'webhook_url as webhookUrl',
      'credits_to_charge as creditsToCharge',
      'credits_charged as creditsCharged',
      'requests.created_at as createdAt',
      'tasks.status',
      'started_at as startedAt',
      'tasks.completed_at as completedAt',
      'expires_at as expiresAt',
      sql<boolean | null>`tasks.expires_at <= now()`.as('expired'),
      'attempts',
      'quality',
      'error',
    ]);

/** The status of a task: terminal only when it is paid for too, so that whoever reads COMPLETED reads its charge as well. */
export function statusOf({ state, status }: Pick<TaskRow, 'state' | 'status'>): TaskStatus {
  if (status === null) return 'QUEUED';
  return state === 'open' ? 'PROCESSING' : status;
}

/** The task read as JSON, byte for byte what a webhook carries; the result goes in as it was stored (decisions S2, S3, W1). */
export function taskRead(row: TaskRow, webhook?: object): string {
  const { before, after } = aroundResult(row, webhook);
  return `${before}${statusOf(row) === 'COMPLETED' ? row.response : ''}${after}`;
}

/** The task read without the stored result, which only a COMPLETED one has: what stands before it, and what after. */
export function aroundResult(row: Omit<TaskRow, 'response'>, webhook?: object): { before: string; after: string } {
  const status = statusOf(row);
  const isOver = status === 'COMPLETED' || status === 'FAILED';
  const task = {
    id: row.id,
    taskType: row.provider,
    status,
    priority: row.priority,
    createdAt: row.createdAt,
    ...(row.idempotencyKey === null ? {} : { idempotencyKey: row.idempotencyKey }),
    ...(row.startedAt ? { startedAt: row.startedAt } : {}),
    ...(isOver && row.completedAt
      ? { completedAt: row.completedAt, expiresAt: row.expiresAt, latencyMs: row.completedAt.getTime() - row.createdAt.getTime() }
      : {}),
    ...(isOver ? { attempts: row.attempts } : {}),
    ...(webhook ? { webhook } : {}),
  };
  const credits = { creditsToCharge: row.creditsToCharge, creditsCharged: isOver ? row.creditsCharged : null };
  const head = `{"task":${JSON.stringify(task)},"credits":${JSON.stringify(credits)},"response":`;
  if (status === 'COMPLETED') return { before: head, after: `${row.quality ? `,"quality":${row.quality}` : ''}}` };
  return { before: `${head}${status === 'FAILED' ? `{"error":${row.error}}` : '{}'}`, after: '}' };
}
