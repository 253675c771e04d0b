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

/** An account's task or synchronous request; undefined when it is unknown, was refused, or its time is over (architecture.md, step 6). */
export async function readTask(database: Database, accountId: string, id: string): Promise<TaskRow | undefined> {
  const row = await database
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
      'response',
      'quality',
      'error',
    ])
    .where('requests.id', '=', id)
    .where('requests.account_id', '=', accountId)
    .executeTakeFirst();
  const isGone = !row || row.state === 'refused' || (row.state === 'settled' && (row.status === null || row.expired === true));
  return isGone ? undefined : row;
}

/** The status of a task: terminal only when it is paid for too, so that whoever reads COMPLETED reads its charge as well. */
export function statusOf({ state, status }: Pick<TaskRow, 'state' | 'status'>): TaskStatus {
  if (status === null) return 'QUEUED';
  return state === 'open' ? 'PROCESSING' : status;
}

/** The task read as JSON, byte for byte what a webhook carries; the result goes in as it was stored (decisions S2, S3, W1). */
export function taskRead(row: TaskRow, webhook?: object): string {
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
  const response = status === 'COMPLETED' ? row.response : status === 'FAILED' ? `{"error":${row.error}}` : '{}';
  const quality = status === 'COMPLETED' && row.quality ? `,"quality":${row.quality}` : '';
  return `{"task":${JSON.stringify(task)},"credits":${JSON.stringify(credits)},"response":${response}${quality}}`;
}
