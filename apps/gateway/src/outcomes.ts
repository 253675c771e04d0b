import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Bus, SUBJECTS } from '@overheard/bus';
import { type OutcomeNotice, outcomeNotice, type StandardError } from '@overheard/contracts';
import { type Logger, meter } from '@overheard/runtime';
import { type OutcomeRow, RequestsRepository, type Settled } from './requests.repository.js';
import { Settlement } from './settlement.js';
import { LOGGER } from './tokens.js';

const LOOK_EVERY_MS = 5000;

/** The outcome of a synchronous request: recorded, and paid for. JSON texts are as they were stored. */
export interface Outcome extends Pick<OutcomeNotice, 'status' | 'statusCode' | 'route' | 'timings' | 'attempts'>, Settled {
  response: string | null;
  quality: string | null;
  error: StandardError | undefined;
}

/**
 * Where synchronous requests wait. The inbox is the fast path; every few seconds, and after a reconnect, one query looks
 * up whatever was missed (architecture.md, step 5).
 */
@Injectable()
export class Outcomes implements OnApplicationBootstrap, OnApplicationShutdown {
  /** The subject that work messages carry, of this gateway alone. */
  readonly inbox = SUBJECTS.inbox(randomUUID());
  private readonly waiters = new Map<string, (outcome: Outcome) => void>();
  private look: NodeJS.Timeout | undefined;

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(RequestsRepository) private readonly requests: RequestsRepository,
    @Inject(Settlement) private readonly settlement: Settlement,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    meter('gateway')
      .createObservableGauge('requests_waiting', { description: 'Synchronous requests that wait for their outcome' })
      .addCallback((result) => result.observe(this.waiters.size));
    this.bus.onNotice(this.inbox, outcomeNotice, (notice) => void this.take(notice));
    this.look = setInterval(() => void this.lookUp(), LOOK_EVERY_MS);
    this.bus.onReconnect(() => void this.lookUp());
  }

  onApplicationShutdown(): void {
    clearInterval(this.look);
  }

  /** Resolves with the outcome of that request. `forget` when nobody waits any more. */
  wait(id: string): Promise<Outcome> {
    return new Promise((resolve) => this.waiters.set(id, resolve));
  }

  forget(id: string): void {
    this.waiters.delete(id);
  }

  private async take(notice: OutcomeNotice): Promise<void> {
    if (!this.waiters.has(notice.id)) return;
    const { outcome } = notice;
    if (!outcome) return this.lookUp([notice.id]);
    await this.conclude(notice, {
      response: outcome.status === 'COMPLETED' ? outcome.response : null,
      quality: outcome.status === 'COMPLETED' ? JSON.stringify(outcome.quality) : null,
      error: outcome.status === 'FAILED' ? outcome.error : undefined,
    });
  }

  private async lookUp(ids = [...this.waiters.keys()]): Promise<void> {
    try {
      for (const row of await this.requests.findOutcomes(ids)) await this.conclude(row, partsOf(row));
    } catch (error) {
      this.logger.warn({ err: error, waiting: ids.length }, 'outcomes could not be looked up');
    }
  }

  private async conclude(notice: Omit<OutcomeNotice, 'outcome'>, parts: Pick<Outcome, 'response' | 'quality' | 'error'>): Promise<void> {
    try {
      const settled = await this.settlement.settle(notice);
      const { status, statusCode, route, timings, attempts } = notice;
      this.waiters.get(notice.id)?.({ status, statusCode, route, timings, attempts, ...settled, ...parts });
      this.waiters.delete(notice.id);
    } catch (error) {
      // The next look tries again; the request waits on until its deadline.
      this.logger.warn({ err: error, requestId: notice.id }, 'outcome not settled yet');
    }
  }
}

const partsOf = ({ response, quality, error }: OutcomeRow): Pick<Outcome, 'response' | 'quality' | 'error'> => ({
  response,
  quality,
  error: error === null ? undefined : (JSON.parse(error) as StandardError),
});
