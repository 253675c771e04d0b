import { Controller, Inject } from '@nestjs/common';
import { Bus, Consumes, decode, SUBJECTS } from '@overheard/bus';
import { recordedEvent, settledEvent } from '@overheard/contracts';
import { failpoint } from '@overheard/runtime';
import { Settlement } from './settlement.js';

/** Settles every recorded task, whichever gateway it came through, and tells those who start from there. */
@Controller()
export class RecordedController {
  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Settlement) private readonly settlement: Settlement,
  ) {}

  @Consumes('settle')
  async recorded(data: Uint8Array): Promise<void> {
    const event = decode(recordedEvent, data, SUBJECTS.recorded);
    const { creditsCharged } = await this.settlement.settle(event);
    failpoint('gateway.settled');
    const { id, accountId, status } = event;
    await this.bus.publish(SUBJECTS.settled, settledEvent, { id, accountId, status, creditsCharged }, `settled:${id}`);
  }
}
