import { Controller, Inject } from '@nestjs/common';
import { Consumes, decode, SUBJECTS } from '@overheard/bus';
import { recordedEvent } from '@overheard/contracts';
import { Settlement } from './settlement.js';

/** Settles recorded tasks, whichever gateway they came through. */
@Controller()
export class RecordedController {
  constructor(@Inject(Settlement) private readonly settlement: Settlement) {}

  @Consumes('settle')
  async recorded(data: Uint8Array): Promise<void> {
    await this.settlement.settle(decode(recordedEvent, data, SUBJECTS.recorded));
  }
}
