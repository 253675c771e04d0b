import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Consumes, decode, DeliveryContext, SUBJECTS } from '@overheard/bus';
import { workMessage } from '@overheard/contracts';
import { RunTask } from './run-task.js';

@Controller()
export class WorkController {
  constructor(@Inject(RunTask) private readonly runTask: RunTask) {}

  @Consumes('work')
  async work(@Payload() data: Uint8Array, @Ctx() context: DeliveryContext): Promise<void> {
    await this.runTask.run(decode(workMessage, data, SUBJECTS.work('*', '*')), context);
  }
}
