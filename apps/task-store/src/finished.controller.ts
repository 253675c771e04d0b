import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Consumes, decode, DeliveryContext, SUBJECTS } from '@overheard/bus';
import { finishedEvent } from '@overheard/contracts';
import { Recording } from './recording.js';

@Controller()
export class FinishedController {
  constructor(@Inject(Recording) private readonly recording: Recording) {}

  @Consumes('record')
  async finished(@Payload() data: Uint8Array, @Ctx() { trace }: DeliveryContext): Promise<void> {
    await this.recording.finish(decode(finishedEvent, data, SUBJECTS.finished), trace);
  }
}
