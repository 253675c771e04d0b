import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Database } from '@overheard/database';
import { DatabaseModule } from '@overheard/database/nest';
import { nestLogger, type Service } from '@overheard/runtime';
import { sql } from 'kysely';
import { config, type Config } from './config.js';
import { PagesController } from './pages.controller.js';
import { Sessions } from './sessions.js';
import { CONFIG } from './tokens.js';

@Module({})
class DashboardModule {}

/** The control plane's pages: who is logged in sees an account's credits and request log. */
export const dashboard: Service<Config> = {
  name: 'dashboard',
  config,
  async start({ config, logger }) {
    const database = Database.open(config, (error) => logger.warn({ err: error }, 'idle database connection lost'));
    const module = {
      module: DashboardModule,
      imports: [DatabaseModule.of(database)],
      controllers: [PagesController],
      providers: [Sessions, { provide: CONFIG, useValue: config }],
    };
    const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter({ forceCloseConnections: 'idle' }), {
      logger: nestLogger(logger),
      bodyParser: false,
    });
    await app.register(cookie);
    await app.register(formbody);
    await app.listen({ host: config.HOST, port: config.PORT });
    return { ready: async () => void (await sql`select 1`.execute(database)), stop: () => app.close() };
  },
};
