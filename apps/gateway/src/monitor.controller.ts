import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { contracts } from '@overheard/providers/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RouteSettings } from './door/route-table.js';
import { Monitor } from './monitor.js';

const PREFIX = '/v1/monitor/';

/** The contract of a monitor route. */
export const contractAt = (route: string | undefined) => contracts.find(({ path }) => `${PREFIX}${path}` === route);

@Controller()
export class MonitorController {
  constructor(@Inject(Monitor) private readonly monitor: Monitor) {}

  @Post(contracts.map(({ path }) => `${PREFIX}${path}`))
  @HttpCode(200)
  @RouteConfig({ scope: 'monitor:run', logged: 'sync', waits: true } satisfies RouteSettings)
  async run(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const contract = contractAt(request.routeOptions.url);
    if (!contract) throw new Error(`no provider at ${request.routeOptions.url}`);
    await this.monitor.answer(contract, request, reply);
  }
}
