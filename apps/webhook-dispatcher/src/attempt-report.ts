import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryStatus } from '@overheard/database';
import { counterFromZero, Events, type Logger, meter } from '@overheard/runtime';
import type { Claim } from './deliveries.repository.js';
import type { Answer } from './sending.js';
import { LOGGER } from './tokens.js';

/** Says how an attempt went: one line, and what is counted. */
@Injectable()
export class AttemptReport {
  private readonly events: Events;
  private readonly dead = counterFromZero('webhooks', 'webhook_dead_total', 'Deliveries whose attempts are used up');
  private readonly lag = meter('webhooks').createHistogram('webhook_lag_seconds', { description: 'How late attempts begin after they are due' });

  constructor(@Inject(LOGGER) logger: Logger) {
    this.events = new Events(logger);
  }

  /** `status` is the delivery's after it; undefined when another attempt decides. */
  write({ deliveryId, taskId, accountId, url, attempt, lagMs }: Claim, { statusCode, error, durationMs }: Answer, status: DeliveryStatus | undefined): void {
    // The address may carry a token in its path or query; the host says enough.
    const fields = { deliveryId, taskId, accountId, host: new URL(url).host, attempt, statusCode, error, lagMs: Math.round(lagMs) };
    const say = status === 'failed' ? this.events.failed : this.events.done;
    say.call(this.events, 'delivery attempt', durationMs, { status: status ?? 'superseded' }, fields);
    if (status === 'failed') this.dead.add(1);
    this.lag.record(lagMs / 1000);
  }
}
