import { randomBytes, randomUUID } from 'node:crypto';
import { SUBJECTS } from '@overheard/bus';
import { settledEvent } from '@overheard/contracts';
import { createAccount, type Database, listDeliveries } from '@overheard/database';
import { type Running } from '@overheard/runtime';
import { createTestBus, createTestDatabase, silentLogger } from '@overheard/testing';
import { config, type Config } from '../src/config.js';
import { webhookDispatcher } from '../src/webhook-dispatcher.js';

export const ENCRYPTION_KEY = randomBytes(32).toString('base64');

/** A dispatcher on a database and streams of its own, and what the gateway would have done before it. */
export async function createStage() {
  const databases = await createTestDatabase();
  const streams = await createTestBus();
  const { database } = databases;
  const running: Running[] = [];
  return {
    database,
    bus: streams.bus,
    /** Starts a dispatcher; several may run at the same time. */
    async start(settings: Partial<Record<keyof Config, string>> = {}): Promise<Running> {
      const read = config.parse({ ...databases.settings, ...streams.settings, ENCRYPTION_KEY, WEBHOOK_RETRY_DELAYS: '100ms,200ms,300ms,400ms', ...settings });
      const one = await webhookDispatcher.start({ config: read, logger: silentLogger() });
      running.push(one);
      return one;
    },
    async stop(one: Running): Promise<void> {
      running.splice(running.indexOf(one), 1);
      await one.stop();
    },
    account: async (): Promise<string> => (await createAccount(database, { name: 'test', credits: 1000 })).accountId,
    /** Says that a task is settled. */
    announce: async (id: string): Promise<void> => void (await streams.bus.publish(SUBJECTS.settled, settledEvent, { id }, `settled:${id}:${randomUUID()}`)),
    delivery: async (accountId: string, taskId: string) => (await listDeliveries(database, { accountId, taskId, limit: 1 })).deliveries[0],
    async close(): Promise<void> {
      await Promise.all(running.map((one) => one.stop()));
      await streams.remove();
      await databases.drop();
    },
  };
}
export type Stage = Awaited<ReturnType<typeof createStage>>;

export interface SettledTask {
  accountId: string;
  url: string | null;
  response?: string;
  /** When it was completed; the database's now by default. */
  completedAt?: Date;
  retentionMs?: number;
}

/** Writes a task that is over and paid for, as gateway and task-store leave it. Returns its id. */
export async function settledTask(
  database: Database,
  { accountId, url, response = '{"text":"Größe 漢字"}', completedAt = new Date(), retentionMs = 3_600_000 }: SettledTask,
): Promise<string> {
  const id = uuidv7();
  await database
    .insertInto('requests')
    .values({
      id,
      account_id: accountId,
      key_id: randomUUID(),
      test: false,
      provider: 'TEST',
      mode: 'async',
      prompt: 'a prompt',
      country: 'US',
      payload: '{}',
      webhook_url: url,
      idempotency_key: 'Größe 漢字 🚲',
      credits_to_charge: 3,
      credits_charged: 3,
      state: 'settled',
      status_code: 200,
      completed_at: completedAt,
    })
    .execute();
  await database
    .insertInto('tasks')
    .values({
      id,
      account_id: accountId,
      provider: 'TEST',
      status: 'COMPLETED',
      claims: 1,
      attempts: 1,
      started_at: completedAt,
      completed_at: completedAt,
      expires_at: new Date(completedAt.getTime() + retentionMs),
      charge: true,
      status_code: 200,
      route: 'live',
      response,
      quality: '{"status":"ok","checks":[]}',
    })
    .execute();
  return id;
}

/** An id as the gateway makes them. */
export function uuidv7(): string {
  const hex = Date.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
