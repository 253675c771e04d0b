import * as z from 'zod';
import type { StandardError } from './errors.js';
import { quality } from './quality.js';
import { upstreamRoute } from './task.js';

// What travels between the services. Every message is checked against its schema when it is sent and when it arrives.

/** A task for a worker, on `work.<PROVIDER>.<lane>`. */
export const workMessage = z.object({
  id: z.uuid(),
  accountId: z.uuid(),
  provider: z.string(),
  route: upstreamRoute,
  payload: z.record(z.string(), z.unknown()),
  /** Where a gateway waits for the outcome; absent for tasks that nobody waits for. */
  inbox: z.string().optional(),
  /** Milliseconds of the gateway's clock at admission, for `Server-Timing` only. */
  admittedAt: z.number(),
  /** Sync: how long after the first claim the answer is still of use. */
  deadlineMs: z.number(),
});
export type WorkMessage = z.infer<typeof workMessage>;

/** A worker's question to the task-store before it does anything: may I? (architecture.md, step 3) */
export const claimRequest = z.object({
  id: z.uuid(),
  accountId: z.uuid(),
  provider: z.string(),
  route: upstreamRoute,
  deadlineMs: z.number(),
  inbox: z.string().optional(),
});
export const claimReply = z.discriminatedUnion('verdict', [
  z.object({ verdict: z.literal('go'), attempts: z.int(), remainingMs: z.number(), /** The database's clock, milliseconds since 1970. */ nowMs: z.number() }),
  z.object({ verdict: z.literal('over') }),
]);
export type ClaimRequest = z.infer<typeof claimRequest>;
export type ClaimReply = z.infer<typeof claimReply>;

/** A failed attempt, so that a later claim goes on counting where this one stopped. */
export const attemptFailed = z.object({ id: z.uuid(), attempts: z.int() });
export type AttemptFailed = z.infer<typeof attemptFailed>;

/** An attempt as the dashboard tells of it. */
export const attemptMade = z.object({
  attempt: z.int(),
  /** The database's clock, milliseconds since 1970. */
  startedAt: z.number(),
  ms: z.number(),
  /** Why its answer was none, or not good enough; absent for the one that ended the task well. */
  reason: z.string().optional(),
  message: z.string().optional(),
});
export type AttemptMade = z.infer<typeof attemptMade>;

export const timings = z.object({
  queueMs: z.number(),
  upstreamMs: z.number(),
  parseMs: z.number(),
  /** Those of the last claim. */
  attempts: z.array(attemptMade).optional(),
});
export type Timings = z.infer<typeof timings>;

const standardError = z.custom<StandardError>((value) => typeof value === 'object' && value !== null && 'code' in value);

/** How a task went: `response` is the exact JSON text of the provider's result. */
export const outcome = z.discriminatedUnion('status', [
  z.object({ status: z.literal('COMPLETED'), response: z.string(), quality }),
  z.object({ status: z.literal('FAILED'), error: standardError }),
]);
export type Outcome = z.infer<typeof outcome>;

/** `evt.finished`: somebody says that a task is over; only the task-store acts on it, and the first one stands. */
export const finishedEvent = z.object({
  id: z.uuid(),
  accountId: z.uuid(),
  provider: z.string(),
  outcome,
  /** Whether the hold becomes a charge (decision M3). */
  charge: z.boolean(),
  attempts: z.int(),
  route: upstreamRoute,
  timings,
  inbox: z.string().optional(),
  /**
   * Set when it ends a task from outside instead of telling how it went (decision M4). `unclaimed`: only if no worker has
   * it yet (its client left); `always`: also while it is at work, and then it is charged in full.
   */
  cancel: z.enum(['unclaimed', 'always']).optional(),
});
export type FinishedEvent = z.infer<typeof finishedEvent>;

/** On `cancel.<PROVIDER>`: whoever runs that task may stop. */
export const cancelNotice = z.object({ id: z.uuid() });
export type CancelNotice = z.infer<typeof cancelNotice>;

/** `evt.recorded`: the outcome that stands. Without the answer, so that no answer outlives its retention on the bus. */
export const recordedEvent = z.object({
  id: z.uuid(),
  accountId: z.uuid(),
  status: z.enum(['COMPLETED', 'FAILED']),
  charge: z.boolean(),
  /** What a synchronous caller is answered. */
  statusCode: z.int(),
  /** ISO 8601, the database's clock. */
  completedAt: z.string(),
});
export type RecordedEvent = z.infer<typeof recordedEvent>;

/** What a waiting gateway gets at its inbox: the recorded outcome, and the answer itself when it is small. */
export const outcomeNotice = recordedEvent.extend({
  route: upstreamRoute,
  timings,
  attempts: z.int(),
  /** Absent when it has to be read from the tasks table. */
  outcome: outcome.optional(),
});
export type OutcomeNotice = z.infer<typeof outcomeNotice>;

/** `evt.settled`: the credits of a terminal task that has a webhook have been charged or released; its delivery starts here. */
export const settledEvent = z.object({ id: z.uuid() });

/** On `over`: the credits of a terminal task have been charged or released; long polls end here. */
export const overNotice = z.object({ id: z.uuid() });

/** What a process's share in serving a provider is; `none`: it has no credentials, so the provider's tasks fail at once. */
export const serving = z.object({ provider: z.string(), upstream: z.enum(['live', 'sandbox', 'none']), slots: z.int(), running: z.int() });
export type Serving = z.infer<typeof serving>;

/** A process's answer to the roll call. */
export const presence = z.object({
  service: z.string(),
  id: z.string(),
  /** ISO 8601. */
  since: z.string(),
  serves: z.array(serving),
});
export type Presence = z.infer<typeof presence>;
