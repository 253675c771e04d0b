import type { Generated } from 'kysely';

/** `open` until its task is over and paid for; `refused` never became work. */
export type RequestState = 'open' | 'settled' | 'refused';

/** Owner: gateway. The request log, the credit hold and the outbox in one; partitioned by day on its UUIDv7. */
export interface RequestsTable {
  id: string;
  account_id: string;
  key_id: string;
  test: boolean;
  provider: string | null;
  mode: 'sync' | 'async';
  prompt: string | null;
  country: string | null;
  priority: Generated<number>;
  /** The validated payload as JSON; null when refused, and again after retention. */
  payload: string | null;
  webhook_url: string | null;
  idempotency_key: string | null;
  credits_to_charge: number;
  credits_charged: number | null;
  state: RequestState;
  /** Of the synchronous answer; for a task 202 until it is over, then what a synchronous caller would have got. */
  status_code: number;
  latency_ms: number | null;
  /** How often it was published, which makes the message id of the next time. */
  publish_count: Generated<number>;
  published_at: Date | null;
  published_seq: number | null;
  created_at: Generated<Date>;
  completed_at: Date | null;
}

/** Owner: gateway. Kept for as long as the account exists (decision R10). */
export interface IdempotencyKeysTable {
  account_id: string;
  /** SHA-256 of the key. */
  digest: Buffer;
  request_id: string;
}
