import { Inject, Injectable } from '@nestjs/common';
import { Database, taskRead, webhookOf } from '@overheard/database';
import { durationMs } from '@overheard/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { ApiError } from './api-error.js';
import { callerOf } from './door/door.js';
import { Concurrency } from './limits/concurrency.js';
import { RequestsRepository } from './requests.repository.js';
import { goneSignal } from './gone.js';
import { Settlements } from './settlements.js';
import { taskId, valid } from './validate.js';
import { inTime } from './within.js';

const WAIT_MAX_MS = 60_000;

export const waiting = z.object({ wait: durationMs.refine((ms) => ms <= WAIT_MAX_MS, 'wait must be at most 60s').optional() });

/** Reads tasks and the state of the queue (decisions S2 to S5). */
@Injectable()
export class TaskReading {
  constructor(
    @Inject(Concurrency) private readonly concurrency: Concurrency,
    @Inject(Database) private readonly database: Database,
    @Inject(RequestsRepository) private readonly requests: RequestsRepository,
    @Inject(Settlements) private readonly settlements: Settlements,
  ) {}

  async read(http: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = valid(taskId, http.params).taskId.toLowerCase();
    const { wait } = valid(waiting, http.query);
    if (wait !== undefined) {
      http.answerBy += wait;
      await this.settlements.wait(id, wait, () => this.isOver(http, id), goneSignal(reply));
    }
    const row = await inTime(http, this.requests.find(callerOf(http).accountId, id));
    if (!row) throw ApiError.of('RESOURCE_NOT_FOUND');
    const webhook = row.webhookUrl === null ? undefined : await inTime(http, webhookOf(this.database, id));
    void reply.header('content-type', 'application/json; charset=utf-8').send(taskRead(row, webhook));
  }

  /** Also of a task that does not exist: nothing will become of it. */
  private async isOver(http: FastifyRequest, id: string): Promise<boolean> {
    const row = await inTime(http, this.requests.find(callerOf(http).accountId, id));
    return !row || row.state !== 'open';
  }

  async status(http: FastifyRequest): Promise<object> {
    const { accountId, concurrency } = callerOf(http);
    const [priorityBreakdown, atWork, used] = await Promise.all([
      this.requests.countOutstanding(accountId),
      this.requests.countProcessing(accountId),
      this.concurrency.used(accountId),
    ]);
    const outstandingTasks = priorityBreakdown.reduce((total, { count }) => total + count, 0);
    // Counted a moment apart, so that more may have begun than were there before.
    const processingTasks = Math.min(atWork, outstandingTasks);
    return {
      queuedTasks: outstandingTasks - processingTasks,
      processingTasks,
      outstandingTasks,
      priorityBreakdown,
      concurrency: { used, max: concurrency },
    };
  }
}
