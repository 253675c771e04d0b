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
  /** When the last attempt began; null before the first. */
  attempted_at: Date | null;
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

/** Owner: webhook-dispatcher. Written once it is over; until then its delivery says that it is under way. */
export interface DeliveryAttemptsTable {
  delivery_id: string;
  attempt: number;
  /** When it began. */
  at: Date;
  status_code: number | null;
  /** Null when its dispatcher died. */
  duration_ms: number | null;
  error: string | null;
  /** How the receiver's answer begins. */
  answer: Buffer | null;
}
