import { Body, Controller, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { PRIORITY_MAX } from '@overheard/contracts';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { type RouteSettings, visitorOf } from '../access/access.js';
import type { Visitor } from '../access/sessions.js';
import type { Estimate, PlaygroundBody, Started } from '../api.js';
import { Audit, type Change } from '../audit.js';
import { Problem, unknown } from '../problem.js';
import { RequestsRepository } from '../requests/requests.repository.js';
import { isId, valid } from '../validate.js';
import { Gateway } from './gateway.js';
import { HiddenKeys } from './hidden-keys.js';

const runBody = z.object({
  provider: z.string('Choose a provider').max(50, 'There is no such provider'),
  payload: z.record(z.string(), z.unknown(), 'Expected an object'),
  test: z.boolean('Expected true or false').default(false),
});

const member = { role: 'member' } satisfies RouteSettings;

/** Runs what a person asks here, as a client of the public API: what it refuses there it refuses here, and it costs the same. */
@Controller('/api')
export class RunsController {
  constructor(
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Gateway) private readonly gateway: Gateway,
    @Inject(HiddenKeys) private readonly keys: HiddenKeys,
    @Inject(RequestsRepository) private readonly requests: RequestsRepository,
  ) {}

  @Post('/playground')
  @HttpCode(200)
  @RouteConfig(member)
  run(@Req() request: FastifyRequest, @Body() given: unknown): Promise<Started> {
    return this.start(visitorOf(request), valid(runBody, given), (id) => ({ action: 'request.run', subject: id }));
  }

  @Post('/estimate')
  @HttpCode(200)
  @RouteConfig(member)
  async estimate(@Req() request: FastifyRequest, @Body() given: unknown): Promise<Estimate> {
    const { provider, payload, test } = valid(runBody, given);
    return this.gateway.post<Estimate>('/v1/estimate', { taskType: provider, payload }, await this.keys.lend(visitorOf(request), test));
  }

  @Post('/requests/:id/again')
  @HttpCode(200)
  @RouteConfig(member)
  async again(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Started> {
    const visitor = visitorOf(request);
    const row = isId(id) ? await this.requests.find(visitor.accountId, id) : undefined;
    if (!row) throw unknown('request');
    if (row.payload === null || row.provider === null || row.isExpired)
      throw new Problem(409, 'What was asked is not kept any more, or never was: run it from the playground.');
    const run = { provider: row.provider, payload: JSON.parse(row.payload) as Record<string, unknown>, test: row.test };
    return this.start(visitor, run, (newId) => ({ action: 'request.run_again', subject: id, detail: newId }));
  }

  private async start(visitor: Visitor, { provider, payload, test = false }: PlaygroundBody, noted: (requestId: string) => Change): Promise<Started> {
    // Somebody waits for it.
    const task = { taskType: provider, payload, priority: PRIORITY_MAX };
    const { taskId } = await this.gateway.post<{ taskId: string }>('/v1/async/task', task, await this.keys.lend(visitor, test));
    await this.audit.note(visitor, noted(taskId));
    return { requestId: taskId };
  }
}
