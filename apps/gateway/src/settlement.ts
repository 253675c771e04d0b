import { Inject, Injectable } from '@nestjs/common';
import { Batcher } from '@overheard/runtime';
import { LRUCache } from 'lru-cache';
import { RequestsRepository, type Settled, type Settling } from './requests.repository.js';

const BATCH_MAX = 500;
const REMEMBERED_MAX = 10_000;

/** Turns outcomes into charges and releases, in batches; each request's hold is resolved once, however often its outcome comes. */
@Injectable()
export class Settlement {
  private readonly batches: Batcher<Settling, Settled>;
  /** A synchronous request's outcome comes twice, by the inbox and by its event: the second time is known already. */
  private readonly settled = new LRUCache<string, Promise<Settled>>({ max: REMEMBERED_MAX });

  constructor(@Inject(RequestsRepository) requests: RequestsRepository) {
    this.batches = new Batcher((batch) => requests.settle(batch), { itemsMax: BATCH_MAX });
  }

  /** Resolves with what stands once it is committed. */
  settle(outcome: Settling): Promise<Settled> {
    const known = this.settled.get(outcome.id);
    if (known) return known;
    const settling = this.batches.add(outcome);
    this.settled.set(outcome.id, settling);
    settling.catch(() => this.settled.delete(outcome.id));
    return settling;
  }
}
