import { ERRORS, PRIORITY_MAX, PRIORITY_MIN, quality, TASK_STATUSES } from '@overheard/contracts';
import { contracts } from '@overheard/providers/contracts';
import * as z from 'zod';

// What the API answers, where no contract of a provider says it already (interface.md, Task and Errors; decisions S1 to S9, X1 to X7).

const moment = z.iso.datetime();
const count = z.int().min(0);
const nothing = z.strictObject({});

/** Codes of this table are said without an HTTP status of their own, inside a batch or a task. */
const codes = Object.keys(ERRORS) as [keyof typeof ERRORS];

const standardError = z
  .object({ code: z.enum(codes), message: z.string(), details: z.record(z.string(), z.unknown()).optional(), timestamp: moment })
  .meta({ id: 'StandardError', description: '`details` holds what the code promises, such as `limit` or `taskId`.' });

export const standardBody = z.object({ error: standardError }).meta({ id: 'StandardErrorBody', description: 'The Standard form of an error.' });

export const simpleBody = z
  .object({ success: z.literal(false), error: z.string() })
  .meta({ id: 'SimpleErrorBody', description: 'The Simple form of an error: our own fault after all retries.' });

const fieldProblem = z.object({ field: z.string(), message: z.string() }).meta({ id: 'FieldProblem' });

export const validationBody = z
  .object({ success: z.literal(false), error: z.string(), details: z.array(fieldProblem).min(1) })
  .meta({ id: 'ValidationErrorBody', description: 'The Validation form of an error: one entry a problem, all of them at once.' });

const taskType = z.enum(contracts.map(({ id }) => id)).meta({ id: 'TaskType' });

const deliveryStatus = z.enum(['pending', 'delivered', 'failed']).meta({ id: 'DeliveryStatus' });

const taskWebhook = z
  .object({ url: z.string(), status: deliveryStatus, attempts: count, lastStatusCode: z.int().nullable(), nextAttemptAt: moment.nullable() })
  .meta({ id: 'TaskWebhook', description: 'How the delivery stands. In task reads only, never in a delivery.' });

const task = z
  .object({
    id: z.uuid(),
    taskType,
    status: z.enum(TASK_STATUSES),
    priority: z.int().min(PRIORITY_MIN).max(PRIORITY_MAX),
    createdAt: moment,
    idempotencyKey: z.string().optional(),
    startedAt: moment.optional(),
    completedAt: moment.optional(),
    expiresAt: moment.optional(),
    latencyMs: count.optional(),
    attempts: count.optional(),
    webhook: taskWebhook.optional(),
  })
  .meta({ id: 'Task', description: 'What is not known yet is absent.' });

const taskCredits = z
  .object({ creditsToCharge: count, creditsCharged: count.nullable() })
  .meta({ id: 'TaskCredits', description: '`creditsCharged` is null until the task is over.' });

const failedResponse = z.object({ error: standardError }).meta({ id: 'FailedResponse' });

export const taskRead = z
  .object({
    task,
    credits: taskCredits,
    response: z
      .union([nothing, failedResponse, ...contracts.map(({ result }) => result)])
      .meta({ description: 'Empty while QUEUED or PROCESSING; the result itself when COMPLETED; `error` when FAILED.' }),
    quality: quality.optional(),
  })
  .meta({ id: 'TaskRead' });

const created = { taskId: z.uuid(), task, credits: taskCredits };

export const taskCreated = z.object({ success: z.literal(true), ...created }).meta({ id: 'TaskCreated' });

const batchItemError = standardError
  .extend({ details: z.union([z.array(fieldProblem), z.record(z.string(), z.unknown())]).optional(), timestamp: moment.optional() })
  .meta({ id: 'BatchItemError' });

export const batchResults = z
  .object({
    success: z.literal(true),
    results: z.array(z.union([z.object({ status: z.literal(202), ...created }), z.object({ status: z.int().min(400).max(499), error: batchItemError })])),
  })
  .meta({ id: 'BatchResults', description: 'One entry a task, in the order in which they were sent.' });

export const queueStatus = z
  .object({
    queuedTasks: count,
    processingTasks: count,
    outstandingTasks: count,
    priorityBreakdown: z.array(z.object({ priority: z.int().min(PRIORITY_MIN).max(PRIORITY_MAX), count })),
    concurrency: z.object({ used: count, max: count }),
  })
  .meta({ id: 'QueueStatus', description: 'The breakdown counts queued and processing tasks, the highest priority first.' });

export const countryList = z.array(z.string().regex(/^[A-Z]{2}$/)).meta({ id: 'CountryList' });

export const estimate = z
  .object({ creditsToCharge: count, lineItems: z.array(z.object({ item: z.string(), credits: count })) })
  .meta({ id: 'Estimate', description: 'A test key pays nothing, and its estimate has no lines.' });

export const usage = z
  .object({
    from: z.iso.date(),
    to: z.iso.date(),
    groupBy: z.enum(['day', 'provider', 'key']),
    rows: z.array(z.object({ group: z.string(), requests: count, completed: count, failed: count, creditsCharged: count })),
    credits: z.object({ granted: count, balance: count, reserved: count, charged: count }),
  })
  .meta({ id: 'Usage', description: 'At any moment balance + reserved + charged = granted.' });

const deliveryAttempt = z
  .object({ attempt: z.int().min(1), at: moment, statusCode: z.int().nullable(), durationMs: count.nullable(), error: z.string().nullable() })
  .meta({ id: 'DeliveryAttempt' });

export const delivery = z
  .object({
    deliveryId: z.uuid(),
    taskId: z.uuid(),
    url: z.string(),
    status: deliveryStatus,
    nextAttemptAt: moment.nullable(),
    attempts: z.array(deliveryAttempt),
  })
  .meta({ id: 'Delivery' });

export const deliveryPage = z.object({ deliveries: z.array(delivery), nextCursor: z.string().nullable() }).meta({ id: 'DeliveryPage' });

/** What a monitor call answers with that result. */
export const monitorAnswer = (result: z.ZodType) => z.object({ success: z.literal(true), result, quality });
