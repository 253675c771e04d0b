import { Controller, Inject } from '@nestjs/common';
import { Consumes, decode, SUBJECTS } from '@overheard/bus';
import { settledEvent } from '@overheard/contracts';
import { Making } from './making.js';

@Controller()
export class SettledController {
  constructor(@Inject(Making) private readonly making: Making) {}

  @Consumes('deliver')
  async settled(data: Uint8Array): Promise<void> {
    await this.making.make(decode(settledEvent, data, SUBJECTS.settled).id);
  }
}
