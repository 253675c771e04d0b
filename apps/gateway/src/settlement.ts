import { Inject, Injectable } from '@nestjs/common';
import { Bus, SUBJECTS } from '@overheard/bus';
import { overNotice, settledEvent } from '@overheard/contracts';
import { Batcher, failpoint, meter, type Trace } from '@overheard/runtime';
import { LRUCache } from 'lru-cache';
import { RequestsRepository, type Settled, type Settling } from './requests.repository.js';

const BATCH_MAX = 500;
const LAG_BUCKETS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 120, 600];
const REMEMBERED_MAX = 10_000;

/** Turns outcomes into charges and releases, in batches, and tells of it; each request's hold is resolved once, however often its outcome comes. */
@Injectable()
export class Settlement {
  private readonly batches: Batcher<Settling, Settled>;
  private readonly lag = meter('gateway').createHistogram('settlement_lag_seconds', {
    description: 'How long after its end a task was settled',
    advice: { explicitBucketBoundaries: LAG_BUCKETS },
  });
  /** A synchronous request's outcome comes twice, by the inbox and by its event: the second time is known already. */
  private readonly settled = new LRUCache<string, Promise<Settled>>({ max: REMEMBERED_MAX });

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(RequestsRepository) requests: RequestsRepository,
  ) {
    this.batches = new Batcher((batch) => requests.settle(batch), { itemsMax: BATCH_MAX });
  }

  /** Resolves with what stands once it is committed and those who start from there have been told. */
  settle(outcome: Settling, trace?: Trace): Promise<Settled> {
    const known = this.settled.get(outcome.id);
    if (known) return known;
    const settling = this.settleAnew(outcome, trace);
    this.settled.set(outcome.id, settling);
    void settling.then(
      () => this.lag.record(Math.max(0, Date.now() - Date.parse(outcome.completedAt)) / 1000),
      () => this.settled.delete(outcome.id),
    );
    return settling;
  }

  private async settleAnew(outcome: Settling, trace?: Trace): Promise<Settled> {
    const settled = await this.batches.add(outcome);
    failpoint('gateway.settled');
    const { id, status } = outcome;
    if (status !== 'REFUSED') this.bus.notify(SUBJECTS.over, overNotice, { id });
    if (settled.hasWebhook) await this.bus.publish(SUBJECTS.settled, settledEvent, { id }, `settled:${id}`, trace);
    return settled;
  }
}
