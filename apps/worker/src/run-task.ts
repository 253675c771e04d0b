import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus, type DeliveryContext, SUBJECTS, TryLater } from '@overheard/bus';
import {
  attemptFailed,
  cancelNotice,
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
import { Events, failpoint, inSpan, type Logger, meter, SpanKind, systemClock, type Trace } from '@overheard/runtime';
import { HtmlStorage } from '@overheard/storage';
import { attemptUntilOver, type Ended, Interrupted } from './attempts.js';
import type { Config } from './config.js';
import type { Served } from './serving.js';
import { CONFIG, LOGGER, SERVED } from './tokens.js';

const CLAIM_WITHIN_MS = 5000;
const CLAIM_AGAIN_MS = 2000;
const PUBLISH_AGAIN_MS = 1000;

/** A task that is this worker's, and what its attempts are made with. */
interface Claimed {
  provider: Served;
  /** Undefined without credentials. */
  route: UpstreamRoute | undefined;
  claim: ClaimReply & { verdict: 'go' };
  trace: Trace;
  signal: AbortSignal;
}

/** Runs one task from its claim to its finished event. */
@Injectable()
export class RunTask implements OnApplicationBootstrap {
  private readonly running = new Map<string, { provider: string; canceled: AbortController }>();
  private readonly events: Events;
  private readonly attempts = meter('worker').createHistogram('attempt_duration_seconds', {
    description: 'How long each attempt at an upstream took',
    advice: { explicitBucketBoundaries: [0.1, 0.3, 1, 3, 10, 30, 60, 120] },
  });

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(HtmlStorage) private readonly storage: HtmlStorage,
    @Inject(SERVED) private readonly served: Served[],
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.events = new Events(logger);
    this.measure('tasks_running', 'Tasks at work right now', (id) => [...this.running.values()].filter(({ provider }) => provider === id).length);
    this.measure('worker_slots', 'Tasks that may be at work at once', () => this.config.WORKER_SLOTS);
  }

  private measure(name: string, description: string, read: (provider: string) => number): void {
    const gauge = meter('worker').createObservableGauge(name, { description });
    gauge.addCallback((result) => this.served.forEach(({ id }) => result.observe(read(id), { provider: id })));
  }

  onApplicationBootstrap(): void {
    for (const { id } of this.served) this.bus.onNotice(SUBJECTS.cancel(id), cancelNotice, ({ id: taskId }) => this.running.get(taskId)?.canceled.abort());
  }

  /** Resolves when the outcome is safe on the bus, or the task turned out to be over already. Throws `TryLater` to give it back. */
  async run(work: WorkMessage, context: DeliveryContext): Promise<void> {
    const canceled = new AbortController();
    this.running.set(work.id, { provider: work.provider, canceled });
    try {
      await this.runUnlessOver(work, context, canceled.signal);
    } catch (error) {
      // A task that was ended from outside is over: there is nothing to give back.
      if (!canceled.signal.aborted) throw error;
    } finally {
      this.running.delete(work.id);
    }
  }

  private async runUnlessOver(work: WorkMessage, { signal, trace }: DeliveryContext, canceled: AbortSignal): Promise<void> {
    const provider = this.served.find(({ id }) => id === work.provider);
    if (!provider) throw new Error(`this worker does not serve ${work.provider}`);
    const route = provider.route(work.route);
    const claim = await inSpan('claim', { kind: SpanKind.CLIENT, parent: trace }, () => this.claim(work, route ?? work.route));
    if (claim.verdict === 'over') return;

    const began = performance.now();
    const queueMs = Math.max(0, Date.now() - work.admittedAt);
    const ended = await this.attempt(work, { provider, route, claim, trace, signal: AbortSignal.any([signal, canceled]) });
    const { outcome, charge, attempts, upstreamMs, parseMs, tried } = ended;
    failpoint('worker.answered');
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
        timings: { ...timings, attempts: tried },
        ...(work.inbox ? { inbox: work.inbox } : {}),
      },
      { signal, trace },
    );
    failpoint('worker.published');
    this.events.done(
      'task run',
      performance.now() - began,
      { provider: work.provider, status: outcome.status, reason: reasonOf(ended), quality: qualityOf(ended) },
      { taskId: work.id, route, attempts, ...timings },
    );
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

  private async attempt(work: WorkMessage, { provider, route, claim, trace, signal }: Claimed): Promise<Ended> {
    const { engine, label, sandboxUrl } = provider;
    if (!engine) return failedAtOnce(upstreamError(label, 'unavailable', 0));
    if (!route) return failedAtOnce(upstreamError(engine.service, 'rejected_credentials', 0));
    const claimedAt = performance.now();
    const nowMs = () => claim.nowMs + performance.now() - claimedAt;
    try {
      return await attemptUntilOver({
        service: engine.service,
        ask: (attemptSignal) =>
          inSpan('attempt', { kind: SpanKind.CLIENT, attributes: { provider: work.provider, route }, parent: trace }, () =>
            engine.ask({ request: work.payload, route, sandboxUrl, signal: attemptSignal, storeHtml: (html) => this.storage.put(html, nowMs()) }),
          ),
        made: claim.attempts,
        remainingMs: claim.remainingMs,
        signal,
        clock: { ...systemClock, now: nowMs },
        onAttempt: (result, ms) => this.attempts.record(ms / 1000, { provider: work.provider, result }),
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
  private async publish(event: FinishedEvent, { signal, trace }: Pick<DeliveryContext, 'signal' | 'trace'>): Promise<void> {
    for (;;) {
      try {
        await this.bus.publish(SUBJECTS.finished, finishedEvent, event, `finished:${event.id}:${event.attempts}`, trace);
        return;
      } catch (error) {
        if (signal.aborted) throw new TryLater(0);
        this.logger.warn({ err: error, taskId: event.id }, 'outcome not published yet');
        await systemClock.sleep(PUBLISH_AGAIN_MS, signal);
      }
    }
  }
}

const failedAtOnce = (error: StandardError): Ended => ({
  outcome: { status: 'FAILED', error },
  charge: false,
  attempts: 0,
  upstreamMs: 0,
  parseMs: 0,
  tried: [],
});

const reasonOf = ({ outcome }: Ended): string | undefined =>
  outcome.status === 'FAILED' ? String(outcome.error.details?.['reason'] ?? outcome.error.code) : undefined;

const qualityOf = ({ outcome }: Ended): string | undefined => (outcome.status === 'COMPLETED' ? outcome.quality?.status : undefined);
