import { Inject, Injectable } from '@nestjs/common';
import { aroundResult, statusOf } from '@overheard/database';
import { Batcher, type Logger, NO_TRACE, traceHeaders } from '@overheard/runtime';
import { DeliveriesRepository } from './deliveries.repository.js';
import { Dispatching } from './dispatching.js';
import { LOGGER } from './tokens.js';

const BATCH_MAX = 500;

/** A task that was settled, and the `traceparent` under which that was heard. */
interface Settled {
  taskId: string;
  trace: string | undefined;
}

/**
 * Makes the delivery of a settled task: its read as it now stands, serialised once (decision W1). Due since completion, so
 * that whatever was held up still goes out in the order of completion.
 */
@Injectable()
export class Making {
  private readonly batches: Batcher<Settled>;

  constructor(
    @Inject(DeliveriesRepository) private readonly deliveries: DeliveriesRepository,
    @Inject(Dispatching) private readonly dispatching: Dispatching,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.batches = new Batcher((settled) => this.makeAll(settled), { itemsMax: BATCH_MAX });
  }

  /** Does nothing for a task without a webhook, and nothing the second time. */
  make(taskId: string, trace = NO_TRACE): Promise<void> {
    return this.batches.add({ taskId, trace: traceHeaders(trace).traceparent });
  }

  private async makeAll(settled: Settled[]): Promise<void> {
    const traces = new Map(settled.map(({ taskId, trace }) => [taskId, trace]));
    const wanted = await this.deliveries.findWanted([...traces.keys()]);
    const due = wanted.filter((task) => !task.expired && statusOf(task) === task.status);
    if (due.length < wanted.length) this.logger.warn({ tasks: wanted.length - due.length }, 'nothing to deliver any more');
    const made = await this.deliveries.insert(
      due.map((task) => ({ taskId: task.id, accountId: task.accountId, url: task.webhookUrl, ...aroundResult(task), trace: traces.get(task.id) })),
    );
    if (made > 0) this.dispatching.wake();
  }
}
