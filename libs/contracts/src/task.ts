import * as z from 'zod';
import { isCarriable } from './request-rules.js';

/** interface.md, States and transitions. */
export const TASK_STATUSES = ['QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];
export type TerminalStatus = 'COMPLETED' | 'FAILED';

export const PRIORITY_MIN = 1;
export const PRIORITY_MAX = 10;

/** Where an answer comes from: the operator's upstream, or our own stand-in (architecture.md, Sandbox routing). */
export const upstreamRoute = z.enum(['live', 'sandbox']);
export type UpstreamRoute = z.infer<typeof upstreamRoute>;

// Printable: no control, format-control, private, unassigned or separator-line characters, and nothing PostgreSQL can't store.
const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;

/** An idempotency key: 1 to 255 printable characters (decision R10). */
export const idempotencyKey = z
  .string({ error: 'Expected string' })
  .refine(
    (key) => key.length > 0 && [...key].length <= 255 && isCarriable(key) && PRINTABLE.test(key),
    'idempotencyKey must have 1 to 255 printable characters',
  )
  .meta({ minLength: 1, maxLength: 255 });
