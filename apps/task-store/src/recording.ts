import { Inject, Injectable } from '@nestjs/common';
import { Bus, SUBJECTS } from '@overheard/bus';
import { cancelNotice, type FinishedEvent, type OutcomeNotice, outcomeNotice, recordedEvent, standardError, RETRIES_EXCEEDED } from '@overheard/contracts';
import { isItemsFault } from '@overheard/database';
import { Batcher, Events, failpoint, type Logger, type Trace } from '@overheard/runtime';
import type { Config } from './config.js';
import { TasksRepository, type Recorded } from './tasks.repository.js';
import { CONFIG, LOGGER } from './tokens.js';

const BATCH_MAX = 500;
const BATCH_MAX_CHARS = 16 * 1024 * 1024;
// Fits into a core message of 1 MiB whatever its characters are; a larger answer is read from the table.
const NOTICE_MAX_CHARS = 256 * 1024;

/** Records how tasks ended, and tells the gateways (architecture.md, step 5). */
@Injectable()
export class Recording {
  private readonly batches: Batcher<FinishedEvent, Recorded | undefined>;
  private readonly events: Events;

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(TasksRepository) private readonly tasks: TasksRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.events = new Events(logger);
    this.batches = new Batcher((events) => tasks.record(events, config.TASK_RETENTION), {
      itemsMax: BATCH_MAX,
      weightMax: BATCH_MAX_CHARS,
      weigh: ({ outcome }) => (outcome.status === 'COMPLETED' ? outcome.response.length : 0),
      isItemsFault,
    });
  }

  /** Resolves when the outcome that stands is in the database and on its way to the gateways. */
  async finish(event: FinishedEvent, trace?: Trace): Promise<void> {
    const began = performance.now();
    const recorded = await this.batches.add(event).catch((error: unknown) => this.recordFailure(event, error));
    const tookMs = performance.now() - began;
    failpoint('task-store.recorded');
    if (!recorded) return;
    const { id, accountId, status, charge, statusCode, completedAt } = recorded;
    if (event.cancel && recorded.won) this.bus.notify(SUBJECTS.cancel(event.provider), cancelNotice, { id });
    // The fast path first: who waits there settles the task as well. Should it be gone, any other gateway does, by the event.
    if (event.inbox) {
      this.bus.notify(event.inbox, outcomeNotice, noticeOf(event, recorded));
      await this.bus.noHurry();
    }
    await this.bus.publish(SUBJECTS.recorded, recordedEvent, { id, accountId, status, charge, statusCode, completedAt }, `recorded:${id}`, trace);
    this.events.done('record', tookMs, { provider: event.provider, status, statusCode }, { taskId: id, attempts: recorded.attempts });
  }

  /** An answer that PostgreSQL can't hold must not keep its task from ending. */
  private async recordFailure(event: FinishedEvent, error: unknown): Promise<Recorded | undefined> {
    if (!isItemsFault(error)) throw error;
    this.logger.error({ err: error, taskId: event.id }, 'answer can not be stored');
    const failed: FinishedEvent = {
      ...event,
      charge: false,
      outcome: { status: 'FAILED', error: standardError('INTERNAL_SERVER_ERROR', undefined, RETRIES_EXCEEDED) },
    };
    const [recorded] = await this.tasks.record([failed], this.config.TASK_RETENTION);
    return recorded;
  }
}

/** The answer travels along when it is small and this very event is the one that stands. */
function noticeOf({ outcome }: FinishedEvent, { won, ...recorded }: Recorded): OutcomeNotice {
  const isSmall = outcome.status === 'FAILED' || outcome.response.length <= NOTICE_MAX_CHARS;
  return { ...recorded, ...(won && isSmall ? { outcome } : {}) };
}
