import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Consumes, decode, DeliveryContext, SUBJECTS } from '@overheard/bus';
import { recordedEvent } from '@overheard/contracts';
import { Settlement } from './settlement.js';

/** Settles recorded tasks, whichever gateway they came through. */
@Controller()
export class RecordedController {
  constructor(@Inject(Settlement) private readonly settlement: Settlement) {}

  @Consumes('settle')
  async recorded(@Payload() data: Uint8Array, @Ctx() { trace }: DeliveryContext): Promise<void> {
    await this.settlement.settle(decode(recordedEvent, data, SUBJECTS.recorded), trace);
  }
}
