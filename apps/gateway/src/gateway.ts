import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Bus, BusModule, ConsumerReader, JetStreamStrategy } from '@overheard/bus';
import { Database } from '@overheard/database';
import { DatabaseModule } from '@overheard/database/nest';
import { endable, nestLogger, type Service } from '@overheard/runtime';
import { HtmlStorage } from '@overheard/storage';
import { sql } from 'kysely';
import { Admission } from './admission.js';
import { Cancellation } from './cancellation.js';
import { config, type Config } from './config.js';
import { CountriesController } from './countries.controller.js';
import { ApiKeysRepository } from './door/api-keys.repository.js';
import { DeliveriesController } from './deliveries.controller.js';
import { Door } from './door/door.js';
import { KeyCache } from './door/key-cache.js';
import { ErrorFilter } from './error.filter.js';
import { EstimateController } from './estimate.controller.js';
import { HtmlController } from './html.controller.js';
import { httpServer } from './http-server.js';
import { Concurrency } from './limits/concurrency.js';
import { RateLimit } from './limits/rate-limit.js';
import { Redis } from './limits/redis.js';
import { Monitor } from './monitor.js';
import { MonitorController } from './monitor.controller.js';
import { OpenapiController } from './openapi/openapi.controller.js';
import { Outcomes } from './outcomes.js';
import { QueueMetrics } from './queue-metrics.js';
import { RecordedController } from './recorded.controller.js';
import { RequestLog } from './request-log.js';
import { RequestsRepository } from './requests.repository.js';
import { Settlement } from './settlement.js';
import { Settlements } from './settlements.js';
import { Submission } from './submission.js';
import { Sweeps } from './sweeps.js';
import { SweepsRepository } from './sweeps.repository.js';
import { TaskCreation } from './task-creation.js';
import { TaskReading } from './task-reading.js';
import { TasksController } from './tasks.controller.js';
import { CONFIG, LOGGER } from './tokens.js';
import { traceRequests } from './traced-requests.js';
import { UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';
import { AnswerInTime } from './within.js';

const SETTLE_SLOTS = 512;
const DRAIN_MS = 10_000;
/** Connections that may wait to be taken while the event loop is busy: as many as Linux allows by default. */
const BACKLOG = 4096;

export const controllers = [
  ...[MonitorController, TasksController, EstimateController, UsageController, DeliveriesController, CountriesController, HtmlController],
  ...[OpenapiController, RecordedController],
];
const providers = [
  ...[ApiKeysRepository, KeyCache, Door, Redis, RateLimit, Concurrency, RequestLog, ErrorFilter],
  ...[
    RequestsRepository,
    Admission,
    Submission,
    Settlement,
    Outcomes,
    Cancellation,
    Monitor,
    QueueMetrics,
    Sweeps,
    SweepsRepository,
    TaskCreation,
    TaskReading,
    Settlements,
    UsageRepository,
  ],
];

@Module({})
class GatewayModule {}

/** The public HTTP API. */
export const gateway: Service<Config> = {
  name: 'gateway',
  config,
  async start({ config, logger }) {
    const database = Database.open(config, (error) => logger.warn({ err: error }, 'idle database connection lost'));
    const bus = await Bus.connect(config, 'gateway', logger);
    const storage = await HtmlStorage.open({ connection: bus.connection, bucket: bus.names.bucket('html'), replicas: config.NATS_REPLICAS, config });
    bus.onReconnect(storage.restore);
    const values = [
      { provide: CONFIG, useValue: config },
      { provide: LOGGER, useValue: logger },
      { provide: HtmlStorage, useValue: storage },
    ];
    const module = { module: GatewayModule, imports: [BusModule.of(bus), DatabaseModule.of(database)], controllers, providers: [...providers, ...values] };
    const app = await NestFactory.create<NestFastifyApplication>(module, httpServer(), { logger: nestLogger(logger), bodyParser: false });
    const end = endable(app.getHttpServer());
    traceRequests(app.getHttpAdapter().getInstance());
    app.get(Door).guard(app.getHttpAdapter().getInstance());
    app.get(RequestLog).watch(app.getHttpAdapter().getInstance());
    app.useGlobalInterceptors(new AnswerInTime());
    app.useGlobalFilters(app.get(ErrorFilter));
    const strategy = new JetStreamStrategy({ bus, logger, readers: { settle: [new ConsumerReader(bus, 'settle', SETTLE_SLOTS)] }, drainMs: DRAIN_MS });
    app.connectMicroservice({ strategy });
    await app.startAllMicroservices();
    await app.listen({ host: config.HOST, port: config.PORT, backlog: BACKLOG });
    return {
      ready: async () => void (await Promise.all([bus.ready(), sql`select 1`.execute(database)])),
      // Meanwhile requests are still taken.
      stop: async () => {
        await strategy.stopReading();
        await end(() => app.close());
      },
    };
  },
};
