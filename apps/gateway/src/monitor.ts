import { Inject, Injectable } from '@nestjs/common';
import { ignoredFields, standardError } from '@overheard/contracts';
import type { ProviderContract } from '@overheard/providers/contracts';
import { type Logger, systemClock, withinMs } from '@overheard/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Admission, creditsHeader } from './admission.js';
import { ApiError } from './api-error.js';
import { Cancellation } from './cancellation.js';
import type { Config } from './config.js';
import { callerOf } from './door/door.js';
import { goneSignal } from './gone.js';
import { Concurrency, type Slot } from './limits/concurrency.js';
import { newRequest } from './new-request.js';
import { type Outcome, Outcomes } from './outcomes.js';
import { creditsFor } from './pricing.js';
import { type NewRequest, RequestsRepository } from './requests.repository.js';
import { Settlement } from './settlement.js';
import { Submission } from './submission.js';
import { CONFIG, LOGGER } from './tokens.js';
import { nameIgnored, valid } from './validate.js';
import { inTime } from './within.js';

// Public HTTP clients give up at 300 s (decision L6).
const ANSWER_WITHIN_MS = 290_000;
const LATE_OUTCOME_MS = 4000;
const REFUSE_MS = 500;

/** Answers a synchronous request: it becomes a task like any other, and somebody waits for it. */
@Injectable()
export class Monitor {
  constructor(
    @Inject(Admission) private readonly admission: Admission,
    @Inject(Cancellation) private readonly cancellation: Cancellation,
    @Inject(Concurrency) private readonly concurrency: Concurrency,
    @Inject(Outcomes) private readonly outcomes: Outcomes,
    @Inject(RequestsRepository) private readonly requests: RequestsRepository,
    @Inject(Settlement) private readonly settlement: Settlement,
    @Inject(Submission) private readonly submission: Submission,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async answer(contract: ProviderContract, http: FastifyRequest, reply: FastifyReply): Promise<void> {
    nameIgnored(reply, ignoredFields(http.body, contract.request));
    const payload = valid(contract.request, http.body);
    const request = newRequest(http, http.id, { contract, payload, credits: creditsFor(contract, payload, this.config), mode: 'sync' });
    const slot = await this.takeSlot(http, reply);
    const gone = goneSignal(reply);
    // A client that leaves frees its slot at once, whatever becomes of its run (decision L2).
    gone.addEventListener('abort', () => slot.release());
    try {
      const { balance } = await this.admission.admit(http, request);
      void reply.headers({ ...creditsHeader({ balance }), 'x-credits-charged': '0' });
      const outcome = await this.run(http, { request, contract, gone });
      if (outcome) send(outcome, reply);
      else await this.leave(http, request, reply.elapsedTime);
    } finally {
      slot.release();
    }
  }

  private async takeSlot(http: FastifyRequest, reply: FastifyReply): Promise<Slot> {
    const { accountId, concurrency } = callerOf(http);
    const slot = await this.concurrency.take(accountId, http.id, concurrency);
    if (slot.used !== undefined) {
      void reply.headers({ 'x-concurrent-limit': concurrency, 'x-concurrent-current': slot.used, 'x-concurrent-remaining': concurrency - slot.used });
    }
    if (!slot.taken) throw ApiError.of('CONCURRENT_LIMIT_EXCEEDED', { limit: concurrency }, { 'retry-after': '1' });
    return slot;
  }

  /** The request's outcome; undefined when its client left before there was one. */
  private async run(
    http: FastifyRequest,
    { request, contract, gone }: { request: NewRequest; contract: ProviderContract; gone: AbortSignal },
  ): Promise<Outcome | undefined> {
    const outcome = this.outcomes.wait(request.id);
    const patience = new AbortController();
    try {
      if (!gone.aborted) await this.publish(http, request);
      const late = systemClock.sleep(ANSWER_WITHIN_MS, patience.signal).then(() => 'late' as const);
      const first = await Promise.race([outcome, aborted(gone), late]);
      if (first !== 'late') return first;
      // A completion that came first still wins.
      await this.cancellation.tooLate(request, contract.label, http.trace);
      return await withinMs(LATE_OUTCOME_MS, outcome);
    } finally {
      // With a reason of ours, since making the usual one costs a stack.
      patience.abort('over');
      this.outcomes.forget(request.id);
    }
  }

  /** The log says 499; a run that no worker has yet is ended, any other goes on and stays readable (decision M4). */
  private async leave(http: FastifyRequest, request: NewRequest, afterMs: number): Promise<void> {
    this.logger.info({ requestId: request.id, ms: Math.round(afterMs) }, 'client left');
    await this.requests.markLeft(request.id, afterMs);
    await this.cancellation.clientLeft(request, http.trace);
  }

  /** Without the bus nothing can run: the hold is released and the client told within 5 s (decision L5). */
  private async publish(http: FastifyRequest, request: NewRequest): Promise<void> {
    try {
      await inTime(http, this.submission.publish({ request, deadlineMs: ANSWER_WITHIN_MS, inbox: this.outcomes.inbox, trace: http.trace }), REFUSE_MS);
    } catch (error) {
      this.logger.error({ err: error, requestId: request.id }, 'request not published');
      const refused = this.settlement.settle({ id: request.id, status: 'REFUSED', charge: false, statusCode: 500, completedAt: new Date().toISOString() });
      await inTime(http, refused);
      throw ApiError.of('INTERNAL_SERVER_ERROR');
    }
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

function send({ status, response, quality, error, route, timings, creditsCharged, balance }: Outcome, reply: FastifyReply): void {
  void reply.headers({
    ...creditsHeader({ balance }),
    'x-credits-charged': String(creditsCharged),
    'x-upstream': route,
    'server-timing': serverTiming({ queue: timings.queueMs, upstream: timings.upstreamMs, parse: timings.parseMs, total: reply.elapsedTime }),
  });
  if (status === 'FAILED') throw ApiError.standard(error ?? standardError('INTERNAL_SERVER_ERROR'));
  // The result is sent as it was stored, byte by byte.
  void reply.header('content-type', 'application/json; charset=utf-8').send(`{"success":true,"result":${response},"quality":${quality}}`);
}

const serverTiming = (parts: Record<string, number>): string =>
  Object.entries(parts)
    .map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`)
    .join(', ');
