import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Bus } from './bus.js';

/** Makes the process's one connection to the bus injectable, and closes it at the very end. */
@Global()
@Module({})
export class BusModule implements OnApplicationShutdown {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  static of(bus: Bus): DynamicModule {
    return { module: BusModule, providers: [{ provide: Bus, useValue: bus }], exports: [Bus] };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.bus.close();
  }
}
