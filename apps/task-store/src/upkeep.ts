import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { upstreamError } from '@overheard/contracts';
import { type Logger, repairCounter, Repeating } from '@overheard/runtime';
import type { Config } from './config.js';
import { Recording } from './recording.js';
import { TasksRepository } from './tasks.repository.js';
import { CONFIG, LOGGER } from './tokens.js';

const SWEEP_MS = 15_000;
const BATCH = 1000;

/** Deletes tasks whose retention is over, and ends those whose worker died without anybody taking them up (architecture.md, Retention and sweep e). */
@Injectable()
export class Upkeep implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly repeating: Repeating[];
  private readonly countRepair = repairCounter('e-overdue');

  constructor(
    @Inject(TasksRepository) private readonly tasks: TasksRepository,
    @Inject(Recording) private readonly recording: Recording,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    // A short retention (tests) is looked at more often, so that nothing is kept for much longer than it says.
    const expiryMs = Math.min(SWEEP_MS, config.TASK_RETENTION / 10);
    this.repeating = [
      new Repeating('delete expired tasks', expiryMs, () => this.deleteExpired(), logger),
      new Repeating('end overdue tasks', SWEEP_MS, () => this.endOverdue(), logger),
    ];
  }

  onApplicationBootstrap(): void {
    for (const one of this.repeating) one.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.repeating.map((one) => one.stop()));
  }

  private async deleteExpired(): Promise<void> {
    while ((await this.tasks.deleteExpired(BATCH)) === BATCH);
  }

  async endOverdue(): Promise<void> {
    for (const { id, account_id, provider, attempts } of await this.tasks.findOverdue(BATCH)) {
      await this.recording.finish({
        id,
        accountId: account_id,
        provider,
        outcome: { status: 'FAILED', error: upstreamError(provider, 'timeout', attempts) },
        charge: false,
        attempts,
        route: 'live',
        timings: { queueMs: 0, upstreamMs: 0, parseMs: 0 },
      });
      this.countRepair('e-overdue');
    }
  }
}
