import type { Scope } from '@overheard/contracts';
import { contracts, type ProviderContract } from '@overheard/providers/contracts';
import { AllowedHosts } from '@overheard/runtime';
import type * as z from 'zod';
import { countriesQuery } from '../countries.controller.js';
import { deliveriesQuery, deliveryPath } from '../deliveries.controller.js';
import { batchBody, creationBody, estimateBody } from '../task-creation.js';
import { waiting } from '../task-reading.js';
import { usageQuery } from '../usage.controller.js';
import { taskId } from '../validate.js';
import type { ErrorName } from './errors.js';
import * as example from './examples.js';
import { CONCURRENCY, type HeaderName } from './headers.js';
import * as answers from './schemas.js';

/** A route as the document tells of it. */
export interface Operation {
  method: 'get' | 'post' | 'delete';
  /** As OpenAPI writes it. */
  path: string;
  id: string;
  tag: Tag;
  summary: string;
  description: string;
  /** Absent: any valid key. */
  scope?: Scope;
  /** Needs no key. */
  open?: true;
  parameters?: { path?: z.ZodObject<any>; query?: z.ZodType };
  body?: { schema: z.ZodType; example: unknown };
  answer: { status: number; schema?: z.ZodType; type?: string; description: string; headers?: readonly HeaderName[]; example?: unknown };
  /** Beside those that every route of its kind has. */
  errors?: readonly ErrorName[];
  /** Headers that its errors may carry too. */
  errorHeaders?: readonly HeaderName[];
}

export const TAGS = {
  Monitor: 'Ask a provider and wait for its answer.',
  Tasks: 'Ask now, read or receive the answer later.',
  Account: 'What may be asked, what it costs, and what was used.',
  Webhooks: 'How deliveries went, and sending one again.',
  Pages: 'Stored result pages, and this document. No key is needed.',
} as const;
export type Tag = keyof typeof TAGS;

const creation = creationBody(new AllowedHosts([])).meta({ id: 'TaskCreation' });
const onAdmission: readonly ErrorName[] = ['INSUFFICIENT_CREDITS', 'QUEUE_LIMIT_EXCEEDED'];

export const operations: readonly Operation[] = [
  ...contracts.map(monitor),
  {
    method: 'post',
    path: '/v1/async/task',
    id: 'createTask',
    tag: 'Tasks',
    summary: 'Create a task',
    description:
      '`payload` is the body of the matching monitor endpoint, and its problems are named with `payload.` before the field. A higher `priority` is served first, equal ones in order of arrival. An `idempotencyKey` can be used once in an account; a creation that was refused leaves it free.',
    scope: 'tasks:create',
    body: { schema: creation, example: example.creation },
    answer: {
      status: 202,
      schema: answers.taskCreated,
      description: 'Accepted. The task will be COMPLETED or FAILED, whatever happens.',
      headers: ['Location', 'X-Credits-Remaining', 'X-Ignored-Fields'],
      example: example.created,
    },
    errors: [...onAdmission, 'RESOURCE_ALREADY_EXISTS'],
    errorHeaders: ['X-Credits-Remaining', 'X-Ignored-Fields'],
  },
  {
    method: 'post',
    path: '/v1/async/task/batch',
    id: 'createTasks',
    tag: 'Tasks',
    summary: 'Create up to 500 tasks',
    description: 'Each entry is a body of `POST /v1/async/task`, accepted or refused by itself. The body may have 8 MiB and counts as one request.',
    scope: 'tasks:create',
    body: { schema: batchBody.meta({ id: 'TaskBatch' }), example: { tasks: [example.creation] } },
    answer: { status: 200, schema: answers.batchResults, description: 'What became of each.', headers: ['X-Credits-Remaining'], example: example.batchResults },
  },
  {
    method: 'get',
    path: '/v1/async/task/{taskId}',
    id: 'readTask',
    tag: 'Tasks',
    summary: 'Read a task',
    description:
      'A synchronous request can be read by its request id as well. With `wait`, such as `25s` (at most `60s`), the answer comes when the task is over or the time is up. A task is deleted 24 hours after its completion.',
    scope: 'tasks:read',
    parameters: { path: taskId, query: waiting },
    answer: { status: 200, schema: answers.taskRead, description: 'The task as it stands; `task.status` tells the outcome.', example: example.queuedTask },
    errors: ['RESOURCE_NOT_FOUND'],
  },
  {
    method: 'delete',
    path: '/v1/async/task/{taskId}',
    id: 'cancelTask',
    tag: 'Tasks',
    summary: 'Cancel a task',
    description: 'A task that nobody has begun costs nothing; one at work is stopped and charged in full. A task that is over stays as it is.',
    scope: 'tasks:create',
    parameters: { path: taskId },
    answer: { status: 200, schema: answers.taskRead, description: 'The task as it then stands.', example: example.canceledTask },
    errors: ['RESOURCE_NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/v1/async/status',
    id: 'readQueue',
    tag: 'Tasks',
    summary: 'Read the state of the queue',
    description: 'Of the caller’s account alone.',
    scope: 'tasks:read',
    answer: { status: 200, schema: answers.queueStatus, description: 'Outstanding tasks, and monitor calls under way.', example: example.queueStatus },
  },
  {
    method: 'get',
    path: '/v1/countries',
    id: 'listCountries',
    tag: 'Account',
    summary: 'List the countries that can be asked from',
    description: 'Without `model` all that any provider supports.',
    parameters: { query: countriesQuery },
    answer: {
      status: 200,
      schema: answers.countryList,
      description: 'ISO 3166-1 alpha-2 codes.',
      headers: ['Cache-Control'],
      example: ['DE', 'FR', 'US'],
    },
  },
  {
    method: 'post',
    path: '/v1/estimate',
    id: 'estimateTask',
    tag: 'Account',
    summary: 'Learn what a task would cost',
    description: 'Validates like a creation; nothing runs and nothing is charged.',
    body: { schema: estimateBody.meta({ id: 'EstimateRequest' }), example: example.estimateRequest },
    answer: { status: 200, schema: answers.estimate, description: 'The price, line by line.', example: example.estimate },
  },
  {
    method: 'get',
    path: '/v1/usage',
    id: 'readUsage',
    tag: 'Account',
    summary: 'Read what was used',
    description: 'Days are UTC dates such as `2026-01-31`, both inclusive; without them the last 30 days.',
    scope: 'tasks:read',
    parameters: { query: usageQuery },
    answer: { status: 200, schema: answers.usage, description: 'Settled requests by group, and the credits as they stand.', example: example.usage },
  },
  {
    method: 'get',
    path: '/v1/webhooks/deliveries',
    id: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'List deliveries',
    description: 'Newest first. `cursor` is the `nextCursor` of the page before.',
    scope: 'webhooks:manage',
    parameters: { query: deliveriesQuery },
    answer: {
      status: 200,
      schema: answers.deliveryPage,
      description: 'A page of deliveries with their attempts.',
      example: { deliveries: [example.delivery], nextCursor: null },
    },
  },
  {
    method: 'post',
    path: '/v1/webhooks/deliveries/{deliveryId}/redeliver',
    id: 'redeliver',
    tag: 'Webhooks',
    summary: 'Send a delivery again',
    description: 'At once, with the same bytes, whatever came of it before.',
    scope: 'webhooks:manage',
    parameters: { path: deliveryPath },
    answer: { status: 202, schema: answers.delivery, description: 'The delivery, due at once.', example: { ...example.delivery, status: 'pending' } },
    errors: ['RESOURCE_NOT_FOUND', 'RESOURCE_EXPIRED'],
  },
  {
    method: 'get',
    path: '/html/{page}',
    id: 'readPage',
    tag: 'Pages',
    summary: 'Read a stored result page',
    description: 'The addresses in `html` of a result lead here. Whoever has one may read the page for 24 hours.',
    open: true,
    answer: { status: 200, type: 'text/html', description: 'The page; its scripts do not run.', headers: ['Cache-Control'] },
    errors: ['RESOURCE_NOT_FOUND'],
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'readDocument',
    tag: 'Pages',
    summary: 'Read this document',
    description: 'OpenAPI 3.1.',
    open: true,
    answer: { status: 200, type: 'application/json', description: 'This document.', headers: ['Cache-Control'] },
  },
  {
    method: 'get',
    path: '/docs',
    id: 'readReference',
    tag: 'Pages',
    summary: 'Read this document as a page',
    description: 'Without scripts, and without anything from elsewhere.',
    open: true,
    answer: { status: 200, type: 'text/html', description: 'The reference page.', headers: ['Cache-Control'] },
  },
];

function monitor(contract: ProviderContract): Operation {
  const asked = example.monitor(contract);
  return {
    method: 'post',
    path: `/v1/monitor/${contract.path}`,
    id: `monitor${contract.id.toLowerCase().replace(/(?:^|_)[a-z]/g, (start) => start.slice(-1).toUpperCase())}`,
    tag: 'Monitor',
    summary: `Ask ${contract.label}`,
    description: `Costs ${contract.baseCredits} credits, and more with options that say so in \`POST /v1/estimate\`. A failed request costs nothing. Answers within 290 seconds.`,
    scope: 'monitor:run',
    body: { schema: contract.request, example: asked.request },
    answer: {
      status: 200,
      schema: answers.monitorAnswer(contract.result),
      description: `What ${contract.label} said, and how good an answer it is.`,
      headers: ['X-Credits-Remaining', 'X-Credits-Charged', ...CONCURRENCY, 'X-Upstream', 'Server-Timing', 'X-Ignored-Fields'],
      ...(asked.answer ? { example: asked.answer } : {}),
    },
    errors: [...onAdmission, 'CONCURRENT_LIMIT_EXCEEDED', 'REQUEST_CANCELED', 'MAXIMUM_RETRIES_EXCEEDED', 'EXTERNAL_SERVICE_ERROR'],
    errorHeaders: ['X-Credits-Remaining', 'X-Credits-Charged', ...CONCURRENCY, 'X-Upstream', 'Server-Timing', 'X-Ignored-Fields'],
  };
}
