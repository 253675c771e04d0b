import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Consumes, decode, DeliveryContext, SUBJECTS } from '@overheard/bus';
import { settledEvent } from '@overheard/contracts';
import { Making } from './making.js';

@Controller()
export class SettledController {
  constructor(@Inject(Making) private readonly making: Making) {}

  @Consumes('deliver')
  async settled(@Payload() data: Uint8Array, @Ctx() { trace }: DeliveryContext): Promise<void> {
    await this.making.make(decode(settledEvent, data, SUBJECTS.settled).id, trace);
  }
}
