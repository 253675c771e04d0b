import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { BodyGone, Database, listDeliveries, NotFound, redeliver } from '@overheard/database';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { ApiError } from './api-error.js';
import { callerOf } from './door/door.js';
import type { RouteSettings } from './door/route-table.js';
import { valid } from './validate.js';

const PAGE_MAX = 200;
const PAGE_DEFAULT = 50;

export const deliveriesQuery = z.object({
  taskId: z.guid('taskId must be a UUID').optional(),
  status: z.enum(['pending', 'delivered', 'failed'], { error: 'status must be pending, delivered or failed' }).optional(),
  cursor: z.guid('cursor must be the nextCursor of the page before').optional(),
  limit: z.coerce.number(`limit must be an integer from 1 to ${PAGE_MAX}`).int().min(1).max(PAGE_MAX).default(PAGE_DEFAULT),
});

export const deliveryPath = z.object({ deliveryId: z.guid('deliveryId must be a UUID') });

const settings = { scope: 'webhooks:manage' } satisfies RouteSettings;

/** The delivery log, and sending again (decisions X6, X7). */
@Controller('/v1/webhooks/deliveries')
export class DeliveriesController {
  constructor(@Inject(Database) private readonly database: Database) {}

  @Get()
  @RouteConfig(settings)
  list(@Req() request: FastifyRequest, @Query() given: unknown): Promise<object> {
    return listDeliveries(this.database, { accountId: callerOf(request).accountId, ...valid(deliveriesQuery, given) });
  }

  @Post('/:deliveryId/redeliver')
  @HttpCode(202)
  @RouteConfig(settings)
  async redeliver(@Req() request: FastifyRequest, @Param() given: unknown): Promise<object> {
    const { deliveryId } = valid(deliveryPath, given);
    try {
      return await redeliver(this.database, { deliveryId, accountId: callerOf(request).accountId });
    } catch (error) {
      if (error instanceof NotFound) throw ApiError.of('RESOURCE_NOT_FOUND');
      if (error instanceof BodyGone) throw ApiError.of('RESOURCE_EXPIRED');
      throw error;
    }
  }
}
