import { Inject, Injectable } from '@nestjs/common';
import { Batcher } from '@overheard/runtime';
import { RequestsRepository, type Settled, type Settling } from './requests.repository.js';

const BATCH_MAX = 500;

/** Turns outcomes into charges and releases, in batches; each request's hold is resolved once, however often its outcome comes. */
@Injectable()
export class Settlement {
  private readonly batches: Batcher<Settling, Settled>;

  constructor(@Inject(RequestsRepository) requests: RequestsRepository) {
    this.batches = new Batcher((batch) => requests.settle(batch), { itemsMax: BATCH_MAX });
  }

  /** Resolves with what stands once it is committed. */
  settle(outcome: Settling): Promise<Settled> {
    return this.batches.add(outcome);
  }
}
