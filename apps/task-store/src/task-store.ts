import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Bus, BusModule, ConsumerReader, JetStreamStrategy } from '@overheard/bus';
import { Database } from '@overheard/database';
import { DatabaseModule } from '@overheard/database/nest';
import { nestLogger, type Service } from '@overheard/runtime';
import { sql } from 'kysely';
import { Claims } from './claims.js';
import { config, type Config } from './config.js';
import { FinishedController } from './finished.controller.js';
import { Recording } from './recording.js';
import { TasksRepository } from './tasks.repository.js';
import { CONFIG, LOGGER } from './tokens.js';
import { Upkeep } from './upkeep.js';

const SLOTS = 512;
const DRAIN_MS = 10_000;

@Module({})
class TaskStoreModule {}

/** How each task went, and its answer, until it expires. */
export const taskStore: Service<Config> = {
  name: 'task-store',
  config,
  async start({ config, logger }) {
    const database = Database.open(config, (error) => logger.warn({ err: error }, 'idle database connection lost'));
    const bus = await Bus.connect(config, 'task-store', logger);
    const module = {
      module: TaskStoreModule,
      imports: [BusModule.of(bus), DatabaseModule.of(database)],
      controllers: [FinishedController],
      providers: [Claims, Recording, TasksRepository, Upkeep, { provide: CONFIG, useValue: config }, { provide: LOGGER, useValue: logger }],
    };
    const strategy = new JetStreamStrategy({ bus, logger, readers: { record: [new ConsumerReader(bus, 'record', SLOTS)] }, drainMs: DRAIN_MS });
    const app = await NestFactory.createMicroservice(module, { strategy, logger: nestLogger(logger) });
    await app.listen();
    return {
      ready: async () => void (await Promise.all([bus.ready(), sql`select 1`.execute(database)])),
      stop: () => app.close(),
    };
  },
};
