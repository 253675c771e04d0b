import { Inject, Injectable } from '@nestjs/common';
import { type FieldProblem, idempotencyKey, PRIORITY_MAX, PRIORITY_MIN, wholeNumber } from '@overheard/contracts';
import { contractOf, contracts, type ProviderContract } from '@overheard/providers/contracts';
import { AllowedHosts, type Logger, webhookUrlProblem } from '@overheard/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Admission, creditsHeader } from './admission.js';
import { ApiError } from './api-error.js';
import type { Config } from './config.js';
import { type Asked, newRequest } from './new-request.js';
import { creditsFor } from './pricing.js';
import { Submission, TASK_DEADLINE_MS } from './submission.js';
import { CONFIG, LOGGER } from './tokens.js';
import { check, ignoredIn, nameIgnored } from './validate.js';

/** Accepts tasks: `POST /v1/async/task` (decisions R1, S1). */
@Injectable()
export class TaskCreation {
  private readonly body;

  constructor(
    @Inject(Admission) private readonly admission: Admission,
    @Inject(Submission) private readonly submission: Submission,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.body = creationBody(new AllowedHosts(config.WEBHOOK_ALLOWED_HOSTS));
  }

  async create(http: FastifyRequest, reply: FastifyReply): Promise<void> {
    const asked = this.read(http.body, reply);
    const request = newRequest(http, asked);
    const { createdAt, balance } = await this.admission.admit(request);
    // Accepted is accepted: what the bus makes of it now, or a sweep later, changes nothing about the answer.
    void this.submission
      .publish({ request, deadlineMs: TASK_DEADLINE_MS })
      .catch((error: unknown) => this.logger.warn({ err: error, requestId: request.id }, 'task not published yet'));
    const { id } = request;
    const task = {
      id,
      taskType: request.provider,
      status: 'QUEUED',
      priority: request.priority,
      createdAt,
      ...(asked.idempotencyKey ? { idempotencyKey: asked.idempotencyKey } : {}),
    };
    void reply
      .code(202)
      .headers({ location: `/v1/async/task/${id}`, ...creditsHeader({ balance }) })
      .send({ success: true, taskId: id, task, credits: { creditsToCharge: request.credits, creditsCharged: null } });
  }

  /** The body as a request, or all of its problems at once, the payload's among them. */
  private read(body: unknown, reply: FastifyReply): Asked {
    const { value, problems = [] } = check(this.body, body);
    const given = typeof body === 'object' && body !== null ? (body as { taskType?: unknown; payload?: unknown }) : {};
    const contract = typeof given.taskType === 'string' ? contractOf(given.taskType) : undefined;
    const payload = contract && isObject(given.payload) ? check(contract.request, given.payload, 'payload') : undefined;
    const all: FieldProblem[] = [...problems, ...(payload?.problems ?? [])];
    nameIgnored(reply, [...ignoredIn(body, this.body), ...(contract ? ignoredIn(given.payload, contract.request, 'payload.') : [])]);
    if (all.length > 0 || !value || !contract || !payload) throw ApiError.invalid(all);
    return {
      contract,
      payload: payload.value,
      credits: creditsFor(contract as ProviderContract, payload.value, this.config),
      mode: 'async',
      priority: value.priority,
      webhookUrl: value.webhook?.url,
      idempotencyKey: value.idempotencyKey,
    };
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const creationBody = (allowed: AllowedHosts) =>
  z.object({
    taskType: z.enum(
      contracts.map(({ id }) => id),
      { error: `taskType must be one of ${contracts.map(({ id }) => id).join(', ')}` },
    ),
    payload: z.unknown().refine(isObject, 'payload must be an object: the body of the matching monitor endpoint'),
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
