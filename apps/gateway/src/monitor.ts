import { Inject, Injectable } from '@nestjs/common';
import { Bus, SUBJECTS } from '@overheard/bus';
import { type FinishedEvent, finishedEvent, standardError, upstreamError } from '@overheard/contracts';
import type { ProviderContract } from '@overheard/providers/contracts';
import type { Logger } from '@overheard/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Admission, creditsHeader } from './admission.js';
import { ApiError } from './api-error.js';
import type { Config } from './config.js';
import { callerOf } from './door/door.js';
import { Concurrency, type Slot } from './limits/concurrency.js';
import { newRequest } from './new-request.js';
import { type Outcome, Outcomes } from './outcomes.js';
import { creditsFor } from './pricing.js';
import { type NewRequest, RequestsRepository } from './requests.repository.js';
import { Settlement } from './settlement.js';
import { Submission } from './submission.js';
import { CONFIG, LOGGER } from './tokens.js';
import { ignoredIn, nameIgnored, valid } from './validate.js';
import { withinMs } from './within.js';

// Public HTTP clients give up at 300 s (decision L6).
const ANSWER_WITHIN_MS = 290_000;
const LATE_OUTCOME_MS = 4000;
const PUBLISH_WITHIN_MS = 4000;

/** Answers a synchronous request: it becomes a task like any other, and somebody waits for it. */
@Injectable()
export class Monitor {
  constructor(
    @Inject(Admission) private readonly admission: Admission,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Concurrency) private readonly concurrency: Concurrency,
    @Inject(Outcomes) private readonly outcomes: Outcomes,
    @Inject(RequestsRepository) private readonly requests: RequestsRepository,
    @Inject(Settlement) private readonly settlement: Settlement,
    @Inject(Submission) private readonly submission: Submission,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async answer(contract: ProviderContract, http: FastifyRequest, reply: FastifyReply): Promise<void> {
    nameIgnored(reply, ignoredIn(http.body, contract.request));
    const payload = valid(contract.request, http.body);
    const request = newRequest(http, { contract, payload, credits: creditsFor(contract, payload, this.config), mode: 'sync' });
    const slot = await this.takeSlot(http, reply);
    const left = this.onClientGone(request, slot, reply);
    try {
      const { balance } = await this.admission.admit(request);
      void reply.headers({ ...creditsHeader({ balance }), 'x-credits-charged': '0' });
      if (left()) await this.requests.markLeft(request.id, reply.elapsedTime);
      const outcome = await this.run(request, contract);
      if (!left()) send(outcome, reply);
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

  /** A client that leaves frees its slot at once; its run goes on and stays readable (decision M4). */
  private onClientGone({ id }: NewRequest, slot: Slot, reply: FastifyReply): () => boolean {
    let left = false;
    reply.raw.once('close', () => {
      if (reply.raw.writableFinished) return;
      left = true;
      slot.release();
      void this.requests.markLeft(id, reply.elapsedTime).catch((error: unknown) => this.logger.warn({ err: error, requestId: id }, 'departure not noted'));
    });
    return () => left;
  }

  private async run(request: NewRequest, contract: ProviderContract): Promise<Outcome> {
    const outcome = this.outcomes.wait(request.id);
    try {
      await this.publish(request);
      return await withinMs(ANSWER_WITHIN_MS, outcome).catch(() => this.giveUp(request, contract, outcome));
    } finally {
      this.outcomes.forget(request.id);
    }
  }

  /** Without the bus nothing can run: the hold is released and the client told within 5 s (decision L5). */
  private async publish(request: NewRequest): Promise<void> {
    try {
      await withinMs(PUBLISH_WITHIN_MS, this.submission.publish({ request, deadlineMs: ANSWER_WITHIN_MS, inbox: this.outcomes.inbox }));
    } catch (error) {
      this.logger.error({ err: error, requestId: request.id }, 'request not published');
      await this.settlement.settle({ id: request.id, status: 'REFUSED', charge: false, statusCode: 500, completedAt: new Date().toISOString() });
      throw ApiError.of('INTERNAL_SERVER_ERROR');
    }
  }

  /** The time is up: says so like any other outcome, so that a completion that came first still wins (architecture.md, step 8). */
  private async giveUp(request: NewRequest, contract: ProviderContract, outcome: Promise<Outcome>): Promise<Outcome> {
    const late: FinishedEvent = {
      id: request.id,
      accountId: request.account_id,
      provider: request.provider,
      outcome: { status: 'FAILED', error: upstreamError(contract.label, 'timeout', 0) },
      charge: false,
      attempts: 0,
      route: request.test ? 'sandbox' : 'live',
      timings: { queueMs: 0, upstreamMs: 0, parseMs: 0 },
      inbox: this.outcomes.inbox,
    };
    await this.bus.publish(SUBJECTS.finished, finishedEvent, late, `late:${request.id}`);
    return withinMs(LATE_OUTCOME_MS, outcome);
  }
}

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
