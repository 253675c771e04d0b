import { Inject, Injectable } from '@nestjs/common';
import { Bus, SUBJECTS, TryLater } from '@overheard/bus';
import {
  attemptFailed,
  claimReply,
  claimRequest,
  type ClaimReply,
  type FinishedEvent,
  finishedEvent,
  type StandardError,
  type UpstreamRoute,
  upstreamError,
  type WorkMessage,
} from '@overheard/contracts';
import { type Logger, systemClock } from '@overheard/runtime';
import { HtmlStorage } from '@overheard/storage';
import { attemptUntilOver, type Ended, Interrupted } from './attempts.js';
import type { Served } from './serving.js';
import { LOGGER, SERVED } from './tokens.js';

const CLAIM_WITHIN_MS = 5000;
const CLAIM_AGAIN_MS = 2000;
const PUBLISH_AGAIN_MS = 1000;

/** Runs one task from its claim to its finished event. */
@Injectable()
export class RunTask {
  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(HtmlStorage) private readonly storage: HtmlStorage,
    @Inject(SERVED) private readonly served: Served[],
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Resolves when the outcome is safe on the bus, or the task turned out to be over already. Throws `TryLater` to give it back. */
  async run(work: WorkMessage, signal: AbortSignal): Promise<void> {
    const provider = this.served.find(({ id }) => id === work.provider);
    if (!provider) throw new Error(`this worker does not serve ${work.provider}`);
    const route = provider.route(work.route);
    const claim = await this.claim(work, route ?? work.route);
    if (claim.verdict === 'over') return;

    const queueMs = Math.max(0, Date.now() - work.admittedAt);
    const ended = await this.attempt(work, provider, route, claim, signal);
    const { outcome, charge, attempts, upstreamMs, parseMs } = ended;
    const timings = { queueMs, upstreamMs: Math.round(upstreamMs), parseMs: Math.round(parseMs) };
    await this.publish(
      {
        id: work.id,
        accountId: work.accountId,
        provider: work.provider,
        outcome,
        charge,
        attempts,
        route: route ?? work.route,
        timings,
        ...(work.inbox ? { inbox: work.inbox } : {}),
      },
      signal,
    );
    this.logger.info({ taskId: work.id, provider: work.provider, route, status: outcome.status, reason: reasonOf(ended), attempts, ...timings }, 'task run');
  }

  private async claim({ id, accountId, provider, deadlineMs, inbox }: WorkMessage, route: UpstreamRoute): Promise<ClaimReply> {
    const message = { id, accountId, provider, route, deadlineMs, ...(inbox ? { inbox } : {}) };
    try {
      return await this.bus.ask(SUBJECTS.claim, { schema: claimRequest, message }, claimReply, CLAIM_WITHIN_MS);
    } catch (error) {
      this.logger.warn({ err: error, taskId: id }, 'no answer to a claim');
      throw new TryLater(CLAIM_AGAIN_MS);
    }
  }

  private async attempt(
    work: WorkMessage,
    provider: Served,
    route: UpstreamRoute | undefined,
    claim: ClaimReply & { verdict: 'go' },
    signal: AbortSignal,
  ): Promise<Ended> {
    const { engine, label, sandboxUrl } = provider;
    if (!engine) return failedAtOnce(upstreamError(label, 'unavailable', 0));
    if (!route) return failedAtOnce(upstreamError(engine.service, 'rejected_credentials', 0));
    try {
      return await attemptUntilOver({
        service: engine.service,
        ask: (attemptSignal) => engine.ask({ request: work.payload, route, sandboxUrl, signal: attemptSignal, storeHtml: (html) => this.storage.put(html) }),
        made: claim.attempts,
        remainingMs: claim.remainingMs,
        signal,
        clock: systemClock,
        onFailure: (attempts, reason, error) => {
          this.bus.notify(SUBJECTS.attemptFailed, attemptFailed, { id: work.id, attempts });
          this.logger.warn({ taskId: work.id, provider: work.provider, attempts, reason, err: error }, 'attempt failed');
        },
      });
    } catch (error) {
      if (error instanceof Interrupted) throw new TryLater(0);
      throw error;
    }
  }

  /** An answer that was paid for is not thrown away because the bus is full or away: it waits, and the task stays ours meanwhile. */
  private async publish(event: FinishedEvent, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.bus.publish(SUBJECTS.finished, finishedEvent, event, `finished:${event.id}:${event.attempts}`);
        return;
      } catch (error) {
        if (signal.aborted) throw new TryLater(0);
        this.logger.warn({ err: error, taskId: event.id }, 'outcome not published yet');
        await systemClock.sleep(PUBLISH_AGAIN_MS, signal);
      }
    }
  }
}

const failedAtOnce = (error: StandardError): Ended => ({ outcome: { status: 'FAILED', error }, charge: false, attempts: 0, upstreamMs: 0, parseMs: 0 });

const reasonOf = ({ outcome }: Ended): unknown => (outcome.status === 'FAILED' ? (outcome.error.details?.['reason'] ?? outcome.error.code) : undefined);
