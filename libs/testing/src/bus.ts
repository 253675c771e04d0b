import { randomBytes } from 'node:crypto';
import { Bus, type BusConfig, busConfig } from '@overheard/bus';
import { addressOf } from './environment.js';
import { silentLogger } from './logger.js';

export interface TestBus {
  /** What a service that shall use it is configured with. */
  settings: BusConfig;
  bus: Bus;
  /** Removes the streams and closes the connection. */
  remove(): Promise<void>;
}

/** Streams of its own for a test file, on the server that NATS_URL names, with more settings if need be. */
export async function createTestBus(more: Record<string, string> = {}): Promise<TestBus> {
  const settings = busConfig.parse({
    NATS_URL: addressOf('NATS_URL'),
    NATS_PREFIX: `test${randomBytes(6).toString('hex')}`,
    NATS_STREAM_MAX_BYTES: 64 * 1024 ** 2,
    ...more,
  });
  const bus = await Bus.connect(settings, 'test', silentLogger());
  return {
    settings,
    bus,
    async remove() {
      const isOurs = (name: string) => name.startsWith(bus.names.stream('')) || name.startsWith(`OBJ_${bus.names.bucket('')}`);
      for await (const { config } of bus.manager.streams.list()) if (isOurs(config.name)) await bus.manager.streams.delete(config.name);
      await bus.close();
    },
  };
}
