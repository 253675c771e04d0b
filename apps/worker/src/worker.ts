import { type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Bus, BusModule, JetStreamStrategy, LaneReader } from '@overheard/bus';
import { nestLogger, type Logger, type Service } from '@overheard/runtime';
import { HtmlStorage } from '@overheard/storage';
import { config, type Config } from './config.js';
import { RunTask } from './run-task.js';
import { loadServed, type Served } from './serving.js';
import { CONFIG, LOGGER, SERVED } from './tokens.js';
import { WorkController } from './work.controller.js';

const DRAIN_MS = 25_000;

@Module({})
class WorkerModule {}

/** Runs engines: takes tasks off the lanes of its providers, asks the upstream, and says how it went. */
export const worker: Service<Config> = {
  name: 'worker',
  config,
  async start({ config, logger }) {
    const served = await loadServed(config);
    served.forEach((provider) => announce(provider, logger));
    const bus = await Bus.connect(config, 'worker', logger);
    const storage = await HtmlStorage.open({ connection: bus.connection, bucket: bus.names.bucket('html'), replicas: config.NATS_REPLICAS, config });
    bus.onReconnect(storage.restore);
    const module = {
      module: WorkerModule,
      imports: [BusModule.of(bus)],
      controllers: [WorkController],
      providers: [
        RunTask,
        { provide: HtmlStorage, useValue: storage },
        { provide: SERVED, useValue: served },
        { provide: CONFIG, useValue: config },
        { provide: LOGGER, useValue: logger },
      ],
    };
    const lanes = served.map(({ id, route }) => ({ id, upstream: route('live') ?? ('none' as const), reader: new LaneReader(bus, id, config.WORKER_SLOTS) }));
    bus.serves = () => lanes.map(({ id, upstream, reader: { slots, running } }) => ({ provider: id, upstream, slots, running }));
    const strategy = new JetStreamStrategy({ bus, logger, readers: { work: lanes.map(({ reader }) => reader) }, drainMs: DRAIN_MS });
    const app = await NestFactory.createMicroservice(module, { strategy, logger: nestLogger(logger) });
    await app.listen();
    return { ready: () => bus.ready(), stop: () => stopAll(app, served) };
  },
};

async function stopAll(app: INestMicroservice, served: Served[]): Promise<void> {
  await app.close();
  for (const { engine } of served) await engine?.close?.();
}

function announce({ id, engine, route }: Served, logger: Logger): void {
  if (engine?.lacks) logger.warn({ provider: id }, engine.lacks);
  if (!engine) logger.warn({ provider: id }, 'this version has no engine for the provider: its tasks fail at once, free');
  else if (!route('live')) logger.warn({ provider: id }, 'no credentials: its tasks fail at once, free');
  else logger.info({ provider: id, upstream: route('live') }, 'serving');
}
