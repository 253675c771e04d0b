import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Bus, BusModule, ConsumerReader, JetStreamStrategy } from '@overheard/bus';
import { Database } from '@overheard/database';
import { DatabaseModule } from '@overheard/database/nest';
import { AllowedHosts, nestLogger, type Service } from '@overheard/runtime';
import { sql } from 'kysely';
import { AttemptReport } from './attempt-report.js';
import { config, type Config } from './config.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { Dispatching } from './dispatching.js';
import { Making } from './making.js';
import { publicLookup } from './public-lookup.js';
import { Sending } from './sending.js';
import { SettledController } from './settled.controller.js';
import { Sweeps } from './sweeps.js';
import { CONFIG, LOGGER } from './tokens.js';

const SLOTS = 500;
const DRAIN_MS = 5000;

@Module({})
class WebhookDispatcherModule {}

/** Tells receivers how their tasks went: what is due, signed, and sent until it is acknowledged. */
export const webhookDispatcher: Service<Config> = {
  name: 'webhook-dispatcher',
  config,
  async start({ config, logger }) {
    const database = Database.open(config, (error) => logger.warn({ err: error }, 'idle database connection lost'));
    const bus = await Bus.connect(config, 'webhook-dispatcher', logger);
    const sending = new Sending({ allowed: new AllowedHosts(config.WEBHOOK_ALLOWED_HOSTS), lookup: publicLookup() });
    const values = [
      { provide: CONFIG, useValue: config },
      { provide: LOGGER, useValue: logger },
      { provide: Sending, useValue: sending },
    ];
    const module = {
      module: WebhookDispatcherModule,
      imports: [BusModule.of(bus), DatabaseModule.of(database)],
      controllers: [SettledController],
      providers: [DeliveriesRepository, AttemptReport, Dispatching, Making, Sweeps, ...values],
    };
    const strategy = new JetStreamStrategy({ bus, logger, readers: { deliver: [new ConsumerReader(bus, 'deliver', SLOTS)] }, drainMs: DRAIN_MS });
    const app = await NestFactory.createMicroservice(module, { strategy, logger: nestLogger(logger) });
    await app.listen();
    const dispatching = app.get(Dispatching);
    return {
      ready: async () => {
        dispatching.assertAlive();
        await Promise.all([bus.ready(), sql`select 1`.execute(database)]);
      },
      stop: async () => {
        dispatching.stopClaiming();
        await app.close();
      },
    };
  },
};
