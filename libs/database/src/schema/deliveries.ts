import type { Generated } from 'kysely';

/** `pending` until a receiver acknowledges it or its attempts are used up (decision W5). */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** Owner: webhook-dispatcher. One row a task with a webhook, made when the task is over and paid for; a test delivery's task never was. */
export interface DeliveriesTable {
  id: Generated<string>;
  task_id: string;
  account_id: string;
  url: string;
  /** Digest of account and url without its query: whose deliveries wait for each other (decision W6). */
  receiver: string;
  status: Generated<DeliveryStatus>;
  /** Attempts begun, the one under way included. */
  attempts: Generated<number>;
  /** The task read as it is sent each time (decision W1); null once the task has expired. */
  body: Buffer | null;
  due_at: Date;
  /** Set while an attempt is under way; when it passes, whoever made that attempt is gone. */
  locked_until: Date | null;
  created_at: Generated<Date>;
  expires_at: Date;
  /** The W3C `traceparent` of the task's trace, which its attempts go on with. */
  trace: string | null;
}

/** Owner: webhook-dispatcher. Written before anything is sent; its outcome follows. */
export interface DeliveryAttemptsTable {
  delivery_id: string;
  attempt: number;
  at: Generated<Date>;
  status_code: number | null;
  /** Null while it is under way, and for good when its dispatcher died; then there is an error. */
  duration_ms: number | null;
  error: string | null;
  /** How the receiver's answer begins. */
  answer: Buffer | null;
}
