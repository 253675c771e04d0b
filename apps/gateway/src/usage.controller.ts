import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Database, showAccount } from '@overheard/database';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { callerOf } from './door/door.js';
import type { RouteSettings } from './door/route-table.js';
import { UsageRepository } from './usage.repository.js';
import { valid } from './validate.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

const day = (field: string) => z.iso.date(`${field} must be a date such as 2026-01-31`);

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const usageQuery = z
  .object({
    from: day('from').optional(),
    to: day('to').optional(),
    groupBy: z.enum(['day', 'provider', 'key'], { error: 'groupBy must be day, provider or key' }).default('day'),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, { path: ['from'], error: 'from must not be after to' });

/** What an account used (decision X5). */
@Controller('/v1/usage')
export class UsageController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(UsageRepository) private readonly usage: UsageRepository,
  ) {}

  @Get()
  @RouteConfig({ scope: 'tasks:read' } satisfies RouteSettings)
  async read(@Req() request: FastifyRequest, @Query() given: unknown): Promise<object> {
    const asked = valid(usageQuery, given);
    const { accountId } = callerOf(request);
    const to = asked.to ?? dayOf(await this.usage.now());
    const from = asked.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
    const [rows, { granted, balance, reserved, charged }] = await Promise.all([
      this.usage.sum(accountId, { from, to, groupBy: asked.groupBy }),
      showAccount(this.database, accountId),
    ]);
    return { from, to, groupBy: asked.groupBy, rows, credits: { granted, balance, reserved, charged } };
  }
}
