import { standardError } from '@overheard/contracts';
import { contracts, creditsOf, type ProviderContract, priceOf } from '@overheard/providers/contracts';
import { examples } from '@overheard/providers/examples';

// The examples of the document. test/openapi.test.ts holds every one against its schema, and asks the monitor routes for theirs.

const TASK_ID = '019b0a4c-7c1e-7d2a-9b54-0f6f3c1d2e3f';
const CREATED_AT = '2026-01-31T09:30:00.000Z';
const COMPLETED_AT = '2026-01-31T09:30:12.480Z';
const QUESTION = 'Which travel mug keeps coffee hot longest?';

/** What is asked of a provider, and what it answers, as far as an answer has been recorded. */
export function monitor({ id, request }: ProviderContract): { request: object; answer?: object } {
  const asked = [
    { prompt: QUESTION, country: 'US' },
    { query: QUESTION, country: 'US' },
  ].find((body) => request.safeParse(body).success);
  if (!asked) throw new Error(`${id} takes neither a prompt nor a query`);
  const answer = examples[id];
  return { request: asked, ...(answer ? { answer } : {}) };
}

const [contract] = contracts as [ProviderContract];
const payload = monitor(contract).request;
const creditsToCharge = contract.baseCredits;
const task = { id: TASK_ID, taskType: contract.id, status: 'QUEUED', priority: 5, createdAt: CREATED_AT };

export const creation = {
  taskType: contract.id,
  payload,
  priority: 5,
  idempotencyKey: 'mugs-2026-01-31',
  webhook: { url: 'https://receiver.example.com/answers' },
};

export const created = {
  success: true,
  taskId: TASK_ID,
  task: { ...task, idempotencyKey: creation.idempotencyKey },
  credits: { creditsToCharge, creditsCharged: null },
};

export const batchResults = {
  success: true,
  results: [
    { status: 202, taskId: TASK_ID, task, credits: { creditsToCharge, creditsCharged: null } },
    {
      status: 400,
      error: { code: 'VALIDATION_ERROR', message: 'Request validation failed', details: [{ field: 'payload.country', message: 'Invalid country code' }] },
    },
  ],
};

export const queuedTask = { task, credits: { creditsToCharge, creditsCharged: null }, response: {} };

const over = { completedAt: COMPLETED_AT, expiresAt: '2026-02-01T09:30:12.480Z', latencyMs: 12_480 };

export const canceledTask = {
  task: { ...task, status: 'FAILED', ...over, attempts: 0 },
  credits: { creditsToCharge, creditsCharged: 0 },
  response: { error: standardError('REQUEST_CANCELED', undefined, undefined, new Date(COMPLETED_AT)) },
};

/** As a webhook carries it; without an answer on record, the task is one that was canceled. */
export function deliveredTask(): object {
  const answer = monitor(contract).answer as { result: object; quality: object } | undefined;
  if (!answer) return canceledTask;
  return {
    task: { ...task, status: 'COMPLETED', startedAt: '2026-01-31T09:30:00.210Z', ...over, attempts: 1 },
    credits: { creditsToCharge, creditsCharged: creditsToCharge },
    response: answer.result,
    quality: answer.quality,
  };
}

export const queueStatus = {
  queuedTasks: 2,
  processingTasks: 1,
  outstandingTasks: 3,
  priorityBreakdown: [
    { priority: 5, count: 1 },
    { priority: 1, count: 2 },
  ],
  concurrency: { used: 0, max: 50 },
};

export const estimateRequest = { taskType: contract.id, payload };

const lineItems = priceOf(contract, contract.request.parse(payload));
export const estimate = { creditsToCharge: creditsOf(lineItems), lineItems };

export const usage = {
  from: '2026-01-02',
  to: '2026-01-31',
  groupBy: 'provider',
  rows: [{ group: contract.id, requests: 3, completed: 2, failed: 1, creditsCharged: 2 * creditsToCharge }],
  credits: { granted: 1000, balance: 1000 - 2 * creditsToCharge, reserved: 0, charged: 2 * creditsToCharge },
};

export const delivery = {
  deliveryId: '019b0a4c-9e10-7b3c-8d21-5a6b7c8d9e0f',
  taskId: TASK_ID,
  url: creation.webhook.url,
  status: 'delivered',
  nextAttemptAt: null,
  attempts: [{ attempt: 1, at: '2026-01-31T09:30:12.600Z', statusCode: 204, durationMs: 85, error: null }],
};
