import { Inject, Injectable } from '@nestjs/common';
import { Database, readTask, statusOf, taskRead } from '@overheard/database';
import { Batcher, type Logger, traceparent } from '@overheard/runtime';
import { DeliveriesRepository, type Wanted } from './deliveries.repository.js';
import { Dispatching } from './dispatching.js';
import { LOGGER } from './tokens.js';

const BATCH_MAX = 500;

/** Makes the delivery of a settled task: its read as it now stands, serialised once, due at once (decision W1). */
@Injectable()
export class Making {
  private readonly wanted: Batcher<string, Wanted | undefined>;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(DeliveriesRepository) private readonly deliveries: DeliveriesRepository,
    @Inject(Dispatching) private readonly dispatching: Dispatching,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.wanted = new Batcher((taskIds) => deliveries.findWanted(taskIds), { itemsMax: BATCH_MAX });
  }

  /** Does nothing for a task without a webhook, and nothing the second time. */
  async make(taskId: string): Promise<void> {
    const wanted = await this.wanted.add(taskId);
    if (!wanted) return;
    const task = await readTask(this.database, wanted.accountId, taskId);
    if (!task?.completedAt || !task.expiresAt || statusOf(task) !== task.status) {
      this.logger.warn({ taskId }, 'nothing to deliver any more');
      return;
    }
    // Due since completion, so that whatever was held up still goes out in the order of completion.
    const isNew = await this.deliveries.insert({
      ...wanted,
      body: Buffer.from(taskRead(task)),
      dueAt: task.completedAt,
      expiresAt: task.expiresAt,
      trace: traceparent(),
    });
    if (isNew) this.dispatching.wake();
  }
}
