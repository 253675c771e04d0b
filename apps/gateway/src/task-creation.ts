import { Inject, Injectable } from '@nestjs/common';
import { type FieldProblem, idempotencyKey, ignoredFields, PRIORITY_MAX, PRIORITY_MIN, wholeNumber } from '@overheard/contracts';
import { contractOf, contracts, creditsOf, type ProviderContract } from '@overheard/providers/contracts';
import { AllowedHosts, type Logger, webhookUrlProblem } from '@overheard/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { Admission, creditsHeader } from './admission.js';
import { ApiError } from './api-error.js';
import type { Config } from './config.js';
import { callerOf } from './door/door.js';
import { type Asked, newRequest } from './new-request.js';
import { creditsFor, lineItemsFor } from './pricing.js';
import { newRequestId } from './request-id.js';
import { RequestLog } from './request-log.js';
import { Submission, TASK_DEADLINE_MS } from './submission.js';
import { CONFIG, LOGGER } from './tokens.js';
import { check, nameIgnored, valid } from './validate.js';

/** Accepts tasks: `POST /v1/async/task` (decisions R1, S1). */
@Injectable()
export class TaskCreation {
  private readonly body;

  constructor(
    @Inject(Admission) private readonly admission: Admission,
    @Inject(RequestLog) private readonly log: RequestLog,
    @Inject(Submission) private readonly submission: Submission,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.body = creationBody(new AllowedHosts(config.WEBHOOK_ALLOWED_HOSTS));
  }

  async create(http: FastifyRequest, reply: FastifyReply): Promise<void> {
    nameIgnored(reply, this.ignored(http.body));
    const { balance, ...created } = await this.accept(http, http.id, http.body);
    void reply
      .code(202)
      .headers({ location: `/v1/async/task/${http.id}`, ...creditsHeader({ balance }) })
      .send({ success: true, ...created });
  }

  /** Up to 500 creations in one request; each is accepted or refused by itself, in order (decision X3). */
  async createBatch(http: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { tasks } = valid(batchBody, http.body);
    const results = await Promise.all(tasks.map((body) => this.acceptOne(http, body)));
    const balance = results.map((result) => ('balance' in result ? result.balance : undefined)).findLast((one) => one !== undefined);
    if (balance !== undefined) void reply.headers(creditsHeader({ balance }));
    void reply.code(200).send({ success: true, results: results.map(({ balance: _balance, ...result }) => result) });
  }

  /** What a creation would cost; nothing is charged and nothing runs (decision X4). */
  estimate(http: FastifyRequest): object {
    const { value, problems } = check(estimateBody, http.body);
    const { contract, payload, problems: wrong } = this.readPayload(http.body);
    const all = [...(problems ?? []), ...wrong];
    if (all.length > 0 || !value || !contract) throw ApiError.invalid(all);
    const lineItems = callerOf(http).test ? [] : lineItemsFor(contract, payload, this.config);
    return { creditsToCharge: creditsOf(lineItems), lineItems };
  }

  private async acceptOne(http: FastifyRequest, body: unknown): Promise<{ status: number; balance?: number }> {
    const id = newRequestId();
    try {
      return { status: 202, ...(await this.accept(http, id, body)) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.log.refused(http, { id, body, status: error.status, mode: 'async' });
      return { status: error.status, ...error.asItem() };
    }
  }

  private async accept(http: FastifyRequest, id: string, body: unknown): Promise<Created> {
    const asked = this.read(body);
    const request = newRequest(http, id, asked);
    const { createdAt, balance } = await this.admission.admit(http, request);
    // Accepted is accepted: what the bus makes of it now, or a sweep later, changes nothing about the answer.
    void this.submission
      .publish({ request, deadlineMs: TASK_DEADLINE_MS, trace: http.trace })
      .catch((error: unknown) => this.logger.warn({ err: error, requestId: id }, 'task not published yet'));
    const { provider: taskType, priority, credits: creditsToCharge } = request;
    const task = { id, taskType, status: 'QUEUED', priority, createdAt, ...(asked.idempotencyKey ? { idempotencyKey: asked.idempotencyKey } : {}) };
    return { taskId: id, task, credits: { creditsToCharge, creditsCharged: null }, balance };
  }

  /** The body as a request; throws all of its problems at once, the payload's among them. */
  private read(body: unknown): Asked {
    const { value, problems = [] } = check(this.body, body);
    const { contract, payload, problems: wrong } = this.readPayload(body);
    const all = [...problems, ...wrong];
    if (all.length > 0 || !value || !contract) throw ApiError.invalid(all);
    return {
      contract,
      payload,
      credits: creditsFor(contract, payload, this.config),
      mode: 'async',
      priority: value.priority,
      webhookUrl: value.webhook?.url,
      idempotencyKey: value.idempotencyKey,
    };
  }

  /** The payload by the schema of its task type. A payload that can't be looked at has no problems here: the body's own schema names them. */
  private readPayload(body: unknown): { contract?: ProviderContract; payload?: unknown; problems: FieldProblem[] } {
    const { contract, payload } = partsOf(body);
    if (!contract || !isObject(payload)) return { problems: [] };
    const { value, problems = [] } = check(contract.request, payload, 'payload');
    return { contract, payload: value, problems };
  }

  private ignored(body: unknown): string[] {
    const { contract, payload } = partsOf(body);
    return [...ignoredFields(body, this.body), ...(contract ? ignoredFields(payload, contract.request, 'payload.') : [])];
  }
}

interface Created {
  taskId: string;
  task: object;
  credits: { creditsToCharge: number; creditsCharged: null };
  balance: number;
}

function partsOf(body: unknown): { contract?: ProviderContract | undefined; payload?: unknown } {
  if (!isObject(body)) return {};
  const { taskType, payload } = body as { taskType?: unknown; payload?: unknown };
  return { contract: typeof taskType === 'string' ? contractOf(taskType) : undefined, payload };
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const estimateFields = {
  taskType: z.enum(
    contracts.map(({ id }) => id),
    { error: `taskType must be one of ${contracts.map(({ id }) => id).join(', ')}` },
  ),
  payload: z.unknown().refine(isObject, 'payload must be an object: the body of the matching monitor endpoint'),
};

export const estimateBody = z.object(estimateFields);

export const creationBody = (allowed: AllowedHosts) =>
  z.object({
    ...estimateFields,
    priority: wholeNumber('priority', PRIORITY_MIN, PRIORITY_MAX).default(PRIORITY_MIN),
    idempotencyKey: idempotencyKey.optional(),
    webhook: z
      .object(
        {
          url: z.string({ error: 'webhook.url must be a string' }).superRefine((url, context) => {
            const problem = webhookUrlProblem(url, allowed);
            if (problem) context.addIssue({ code: 'custom', message: problem });
          }),
        },
        { error: 'webhook must be an object with a url' },
      )
      .optional(),
  });

const BATCH_MAX = 500;

export const batchBody = z.object({
  tasks: z
    .array(z.unknown(), { error: 'tasks must be a list of task bodies' })
    .refine((tasks) => tasks.length > 0, 'tasks must not be empty')
    .refine((tasks) => tasks.length <= BATCH_MAX, `tasks must have at most ${BATCH_MAX} entries`)
    .meta({ minItems: 1, maxItems: BATCH_MAX }),
});
