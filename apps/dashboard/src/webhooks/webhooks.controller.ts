import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  BodyGone,
  Database,
  disableSigning,
  enableSigning,
  inTransaction,
  listDeliveries,
  NotFound,
  redeliver,
  rotateSigning,
  sendTestDelivery,
  showDelivery,
  signingSince,
  type SigningView,
} from '@overheard/database';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { type RouteSettings, visitorOf } from '../access/access.js';
import type { AuditAction, DeliveriesPage, Delivery, DeliveryDetail, Signing } from '../api.js';
import { Audit } from '../audit.js';
import type { Config } from '../config.js';
import { Problem, unknown } from '../problem.js';
import { CONFIG } from '../tokens.js';
import { isId, limit, valid } from '../validate.js';
import { attemptOf, deliveryOf } from './views.js';

const deliveriesQuery = z.object({
  status: z.enum(['pending', 'delivered', 'failed'], { error: 'Expected pending, delivered or failed' }).optional(),
  requestId: z.guid('Expected an id').optional(),
  cursor: z.guid('Expected the nextCursor of the page before').optional(),
  limit,
});
const testBody = z.object({
  url: z.url({ protocol: /^https?$/, error: 'Expected an address that begins with https:// or http://' }).max(2048, 'That is too long'),
});

const member = { role: 'member' } satisfies RouteSettings;
const owner = { role: 'owner' } satisfies RouteSettings;

/** Signing, and the delivery log. */
@Controller('/api')
export class WebhooksController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('/signing')
  signing(@Req() request: FastifyRequest): Promise<Signing> {
    return this.signingOf(visitorOf(request).accountId);
  }

  @Post('/signing/enable')
  @HttpCode(200)
  @RouteConfig(owner)
  enable(@Req() request: FastifyRequest): Promise<Signing> {
    return this.changeSigning(request, 'signing.enabled', (transaction, accountId) => enableSigning(transaction, this.config.ENCRYPTION_KEY, accountId));
  }

  @Post('/signing/rotate')
  @HttpCode(200)
  @RouteConfig(owner)
  rotate(@Req() request: FastifyRequest): Promise<Signing> {
    return this.changeSigning(request, 'signing.rotated', (transaction, accountId) => rotateSigning(transaction, this.config.ENCRYPTION_KEY, accountId));
  }

  @Post('/signing/disable')
  @HttpCode(200)
  @RouteConfig(owner)
  disable(@Req() request: FastifyRequest): Promise<Signing> {
    return this.changeSigning(request, 'signing.disabled', disableSigning);
  }

  @Get('/deliveries')
  async list(@Req() request: FastifyRequest, @Query() given: unknown): Promise<DeliveriesPage> {
    const { requestId: taskId, ...wanted } = valid(deliveriesQuery, given);
    const { deliveries, nextCursor } = await listDeliveries(this.database, { accountId: visitorOf(request).accountId, taskId, ...wanted });
    return { deliveries: deliveries.map(deliveryOf), nextCursor };
  }

  @Get('/deliveries/:id')
  async read(@Req() request: FastifyRequest, @Param('id') deliveryId: string): Promise<DeliveryDetail> {
    return found(deliveryId, async () => {
      const delivery = await showDelivery(this.database, { accountId: visitorOf(request).accountId, deliveryId });
      const attempts = delivery.attempts.map((attempt) => ({ ...attemptOf(attempt), answer: attempt.answer?.toString() ?? null }));
      const { createdAt, expiresAt, body } = delivery;
      return {
        ...deliveryOf(delivery),
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        body: body?.toString() ?? null,
        attempts,
      };
    });
  }

  @Post('/deliveries/:id/redeliver')
  @HttpCode(200)
  @RouteConfig(member)
  async redeliver(@Req() request: FastifyRequest, @Param('id') deliveryId: string): Promise<Delivery> {
    const visitor = visitorOf(request);
    return found(deliveryId, () =>
      inTransaction(this.database, async (transaction) => {
        const delivery = await redeliver(transaction, { deliveryId, accountId: visitor.accountId });
        await this.audit.note(visitor, { action: 'delivery.redelivered', subject: deliveryId, detail: delivery.url }, transaction);
        return deliveryOf(delivery);
      }),
    );
  }

  @Post('/deliveries/test')
  @HttpCode(200)
  @RouteConfig(member)
  async test(@Req() request: FastifyRequest, @Body() given: unknown): Promise<Delivery> {
    const { url } = valid(testBody, given);
    const visitor = visitorOf(request);
    return inTransaction(this.database, async (transaction) => {
      const delivery = await sendTestDelivery(transaction, { accountId: visitor.accountId, url });
      await this.audit.note(visitor, { action: 'delivery.test_sent', subject: url }, transaction);
      return deliveryOf(delivery);
    });
  }

  private async changeSigning(
    request: FastifyRequest,
    action: AuditAction,
    change: (transaction: Database, accountId: string) => Promise<SigningView>,
  ): Promise<Signing> {
    const visitor = visitorOf(request);
    try {
      return await inTransaction(this.database, async (transaction) => {
        const { secret } = await change(transaction, visitor.accountId);
        await this.audit.note(visitor, { action, subject: visitor.accountName }, transaction);
        return { ...(await this.signingOf(visitor.accountId, transaction)), ...(secret ? { secret } : {}) };
      });
    } catch (error) {
      if (error instanceof NotFound) throw new Problem(409, 'Signing is off. Turn it on first.');
      throw error;
    }
  }

  private async signingOf(accountId: string, database = this.database): Promise<Signing> {
    const since = await signingSince(database, accountId);
    return { enabled: since !== undefined, since: since?.toISOString() ?? null };
  }
}

async function found<T>(deliveryId: string, work: () => Promise<T>): Promise<T> {
  if (!isId(deliveryId)) throw unknown('delivery');
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotFound) throw unknown('delivery');
    if (error instanceof BodyGone) throw new Problem(409, 'The task of this delivery has expired, and what was to be delivered with it.');
    throw error;
  }
}
