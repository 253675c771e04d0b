import { Inject, Injectable } from '@nestjs/common';
import { isItemsFault } from '@overheard/database';
import { Batcher, inSpan } from '@overheard/runtime';
import type { FastifyRequest } from 'fastify';
import { ApiError } from './api-error.js';
import type { Config } from './config.js';
import { type Admission as Admitted, type NewRequest, RequestsRepository } from './requests.repository.js';
import { CONFIG } from './tokens.js';
import { inTime } from './within.js';

const BATCH_MAX = 500;

/** Decides which requests become work: reused keys (409), queue cap (429), credits (403), in this order (decision L4). */
@Injectable()
export class Admission {
  private readonly batches: Batcher<NewRequest, Admitted>;

  constructor(
    @Inject(RequestsRepository) private readonly requests: RequestsRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    const caps = { queue: config.QUEUE_MAX, testQueue: config.TEST_QUEUE_MAX };
    this.batches = new Batcher((batch) => requests.admit(batch, caps), { itemsMax: BATCH_MAX, isItemsFault });
  }

  /** The admitted request, its credits reserved; throws the `ApiError` of a refused one. */
  async admit(http: FastifyRequest, request: NewRequest): Promise<Admitted> {
    const admitted = await inSpan('admit', { parent: http.trace }, () => inTime(http, this.batches.add(request)));
    switch (admitted.outcome) {
      case 'admitted':
        return admitted;
      case 'reused':
        throw await this.reused(request, admitted.firstId);
      case 'queue_full':
        throw ApiError.of(
          'QUEUE_LIMIT_EXCEEDED',
          { limit: request.test ? this.config.TEST_QUEUE_MAX : this.config.QUEUE_MAX },
          { 'retry-after': '10', ...creditsHeader(admitted) },
        );
      case 'no_credits':
        throw ApiError.of('INSUFFICIENT_CREDITS', { required: request.credits, available: admitted.balance }, creditsHeader(admitted));
    }
  }

  private async reused({ account_id }: NewRequest, firstId: string | null): Promise<ApiError> {
    const status = firstId ? await this.requests.statusOf(account_id, firstId) : undefined;
    return ApiError.of('RESOURCE_ALREADY_EXISTS', { taskId: firstId, ...(status ? { status } : {}) });
  }
}

export const creditsHeader = ({ balance }: { balance: number }): { 'x-credits-remaining': string } => ({ 'x-credits-remaining': String(balance) });
