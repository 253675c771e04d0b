import { Inject, Injectable } from '@nestjs/common';
import { Database, taskRead, webhookOf, type WebhookView } from '@overheard/database';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.js';
import { callerOf } from './door/door.js';
import { Concurrency } from './limits/concurrency.js';
import { RequestsRepository } from './requests.repository.js';
import { taskId, valid } from './validate.js';

/** Reads tasks and the state of the queue (decisions S2 to S5). */
@Injectable()
export class TaskReading {
  constructor(
    @Inject(Concurrency) private readonly concurrency: Concurrency,
    @Inject(Database) private readonly database: Database,
    @Inject(RequestsRepository) private readonly requests: RequestsRepository,
  ) {}

  async read(http: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = valid(taskId, http.params).taskId.toLowerCase();
    const row = await this.requests.find(callerOf(http).accountId, id);
    if (!row) throw ApiError.of('RESOURCE_NOT_FOUND');
    void reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(taskRead(row, row.webhookUrl === null ? undefined : await this.webhookOf(row.id, row.webhookUrl)));
  }

  /** What became of the webhook so far; a delivery that is about to be made counts as pending. */
  private async webhookOf(id: string, url: string): Promise<WebhookView> {
    return (await webhookOf(this.database, id)) ?? { url, status: 'pending', attempts: 0, lastStatusCode: null, nextAttemptAt: null };
  }

  async status(http: FastifyRequest): Promise<object> {
    const { accountId, concurrency } = callerOf(http);
    const [priorities, used] = await Promise.all([this.requests.countOutstanding(accountId), this.concurrency.used(accountId)]);
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
    const outstandingTasks = sum(priorities.map(({ count }) => count));
    const processingTasks = sum(priorities.map(({ processing }) => processing));
    return {
      queuedTasks: outstandingTasks - processingTasks,
      processingTasks,
      outstandingTasks,
      priorityBreakdown: priorities.map(({ priority, count }) => ({ priority, count })),
      concurrency: { used, max: concurrency },
    };
  }
}
