import { Controller, Inject } from '@nestjs/common';
import { Consumes, decode, SUBJECTS } from '@overheard/bus';
import { finishedEvent } from '@overheard/contracts';
import { Recording } from './recording.js';

@Controller()
export class FinishedController {
  constructor(@Inject(Recording) private readonly recording: Recording) {}

  @Consumes('record')
  async finished(data: Uint8Array): Promise<void> {
    await this.recording.finish(decode(finishedEvent, data, SUBJECTS.finished));
  }
}
