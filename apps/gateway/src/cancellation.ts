import { Inject, Injectable } from '@nestjs/common';
import { Bus, SUBJECTS } from '@overheard/bus';
import { type FinishedEvent, finishedEvent, type StandardError, standardError, upstreamError } from '@overheard/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { taskRead } from '@overheard/database';
import type { Trace } from '@overheard/runtime';
import { ApiError } from './api-error.js';
import { callerOf } from './door/door.js';
import { Outcomes } from './outcomes.js';
import { type NewRequest, RequestsRepository } from './requests.repository.js';
import { taskId, valid } from './validate.js';

type Ended = Pick<NewRequest, 'id' | 'account_id' | 'provider' | 'test'>;

interface Ending extends Pick<FinishedEvent, 'cancel'> {
  trace: Trace | undefined;
}

/** Ends tasks from outside. It is an `evt.finished` like any other, so that completion and cancelling race in one place (architecture.md, step 8). */
@Injectable()
export class Cancellation {
  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Outcomes) private readonly outcomes: Outcomes,
    @Inject(RequestsRepository) private readonly requests: RequestsRepository,
  ) {}

  /** `DELETE /v1/async/task/{id}`: answers with the task as it then stands (decisions X1, M4). */
  async delete(http: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = valid(taskId, http.params).taskId.toLowerCase();
    const { accountId, test } = callerOf(http);
    const row = await this.requests.find(accountId, id);
    if (!row) throw ApiError.of('RESOURCE_NOT_FOUND');
    if (row.state === 'open')
      await this.end({ id, account_id: accountId, provider: row.provider, test }, standardError('REQUEST_CANCELED'), { trace: http.trace, cancel: 'always' });
    const now = await this.requests.find(accountId, id);
    void reply.header('content-type', 'application/json; charset=utf-8').send(taskRead(now ?? row));
  }

  /** The client of a synchronous request left: it is ended if no worker has it yet, and goes on otherwise. */
  clientLeft(request: NewRequest, trace: Trace): Promise<void> {
    return this.end(request, standardError('REQUEST_CANCELED'), { trace, cancel: 'unclaimed' });
  }

  /** The time of a synchronous request is up. */
  tooLate(request: NewRequest, service: string, trace?: Trace): Promise<void> {
    return this.end(request, upstreamError(service, 'timeout', 0), { trace });
  }

  private async end({ id, account_id, provider, test }: Ended, error: StandardError, { trace, cancel }: Ending): Promise<void> {
    const event: FinishedEvent = {
      id,
      accountId: account_id,
      provider,
      outcome: { status: 'FAILED', error },
      charge: false,
      attempts: 0,
      route: test ? 'sandbox' : 'live',
      timings: { queueMs: 0, upstreamMs: 0, parseMs: 0 },
      inbox: this.outcomes.inbox,
      ...(cancel ? { cancel } : {}),
    };
    await this.bus.publish(SUBJECTS.finished, finishedEvent, event, `ended:${id}:${cancel ?? 'late'}`, trace);
  }
}
