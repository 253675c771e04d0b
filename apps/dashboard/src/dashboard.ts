import cookie from '@fastify/cookie';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Bus, BusModule } from '@overheard/bus';
import { Database } from '@overheard/database';
import { DatabaseModule } from '@overheard/database/nest';
import { endable, nestLogger, type Service } from '@overheard/runtime';
import { sql } from 'kysely';
import { Access } from './access/access.js';
import { LoginThrottle } from './access/login-throttle.js';
import { Sessions } from './access/sessions.js';
import { Audit } from './audit.js';
import { config, type Config } from './config.js';
import { ErrorFilter } from './error.filter.js';
import { KeysController } from './keys.controller.js';
import { OverviewController } from './overview/overview.controller.js';
import { OverviewRepository } from './overview/overview.repository.js';
import { PagesController, servePages } from './pages.js';
import { PeopleController } from './people.controller.js';
import { RequestsController } from './requests/requests.controller.js';
import { RequestsRepository } from './requests/requests.repository.js';
import { Gateway } from './runs/gateway.js';
import { HiddenKeys } from './runs/hidden-keys.js';
import { ProvidersController } from './runs/providers.controller.js';
import { RunsController } from './runs/runs.controller.js';
import { SessionController } from './session.controller.js';
import { CONFIG, LOGGER } from './tokens.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';

const controllers = [
  ...[SessionController, PeopleController, RequestsController, RunsController, ProvidersController, KeysController, WebhooksController, OverviewController],
  PagesController,
];
const providers = [Access, Audit, ErrorFilter, Gateway, HiddenKeys, LoginThrottle, OverviewRepository, RequestsRepository, Sessions];

@Module({})
class DashboardModule {}

/** The control plane: people, keys, signing and the request log of their accounts, as a JSON API (`api.ts`) and the pages that use it. */
export const dashboard: Service<Config> = {
  name: 'dashboard',
  config,
  async start({ config, logger }) {
    const database = Database.open(config, (error) => logger.warn({ err: error }, 'idle database connection lost'));
    const bus = await Bus.connect(config, 'dashboard', logger);
    const values = [
      { provide: CONFIG, useValue: config },
      { provide: LOGGER, useValue: logger },
    ];
    const module = { module: DashboardModule, imports: [BusModule.of(bus), DatabaseModule.of(database)], controllers, providers: [...providers, ...values] };
    const adapter = new FastifyAdapter({ trustProxy: config.TRUSTED_PROXIES, forceCloseConnections: 'idle' });
    const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger: nestLogger(logger) });
    app.useGlobalFilters(app.get(ErrorFilter));
    const end = endable(app.getHttpServer());
    const server = app.getHttpAdapter().getInstance();
    await server.register(cookie);
    await servePages(server, config.STORAGE_URL);
    app.get(Access).guard(server);
    await app.listen({ host: config.HOST, port: config.PORT });
    return {
      ready: async () => void (await Promise.all([bus.ready(), sql`select 1`.execute(database)])),
      stop: () => end(() => app.close()),
    };
  },
};
