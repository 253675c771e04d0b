import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger, meter, repairCounter, Repeating } from '@overheard/runtime';
import type { Config } from './config.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { Making } from './making.js';
import { CONFIG, LOGGER } from './tokens.js';

const SWEEP_MS = 15_000;
const MISSED_MAX = 2000;
const MISSED_AT_ONCE = 20;
const RECENT_MS = 10 * 60_000;
/** Every so many sweeps looks at everything that can still be delivered, not only at what was completed recently. */
const FULL_SWEEP = 40;
/** So many of an account's due deliveries are counted at most: a backlog of a million is not gone through every 15 seconds. */
const COUNTED_MAX = 10_000;
const RETENTION_BATCH = 500;

/** Repairs what was lost on the way, and clears away what has expired (architecture.md, sweep f and Retention). */
@Injectable()
export class Sweeps implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly repeating: Repeating[];
  private readonly countRepair = repairCounter('f-undelivered');
  private due = { count: 0, oldestMs: 0 };
  private swept = 0;

  constructor(
    @Inject(DeliveriesRepository) private readonly deliveries: DeliveriesRepository,
    @Inject(Making) private readonly making: Making,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // A short retention (tests) is looked at more often, so that nothing is kept for much longer than it says.
    const expiryMs = Math.min(SWEEP_MS, config.TASK_RETENTION / 10);
    this.repeating = [
      new Repeating('make missing deliveries', SWEEP_MS, () => deliveries.alone(() => this.makeMissed()), logger),
      new Repeating('clear expired deliveries', expiryMs, () => this.clearExpired(), logger),
      new Repeating('measure due deliveries', SWEEP_MS, async () => void (this.due = await deliveries.measureDue(COUNTED_MAX)), logger),
    ];
    const gauge = (name: string, description: string, read: () => number) =>
      meter('webhooks')
        .createObservableGauge(name, { description })
        .addCallback((result) => result.observe(read()));
    gauge('webhook_due', `Deliveries that are due and wait, at most ${COUNTED_MAX} of each account`, () => this.due.count);
    gauge('webhook_due_lag_seconds', 'How long the longest waiting of them has been due', () => this.due.oldestMs / 1000);
  }

  onApplicationBootstrap(): void {
    for (const one of this.repeating) void one.now();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.repeating.map((one) => one.stop()));
  }

  private async makeMissed(): Promise<void> {
    const windowMs = this.swept++ % FULL_SWEEP === 0 ? this.config.TASK_RETENTION : RECENT_MS;
    const missed = await this.deliveries.findMissed(windowMs, MISSED_MAX);
    this.countRepair('f-undelivered', missed.length);
    if (missed.length > 0) this.logger.warn({ tasks: missed.length }, 'deliveries were missing');
    while (missed.length > 0) await Promise.all(missed.splice(0, MISSED_AT_ONCE).map((taskId) => this.making.make(taskId)));
  }

  private async clearExpired(): Promise<void> {
    while ((await this.deliveries.emptyExpired(RETENTION_BATCH)) === RETENTION_BATCH);
    while ((await this.deliveries.deleteOld(this.config.REQUEST_LOG_RETENTION, RETENTION_BATCH)) === RETENTION_BATCH);
  }
}
