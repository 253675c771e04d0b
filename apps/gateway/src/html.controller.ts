import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { HtmlStorage } from '@overheard/storage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.js';
import { RequestsRepository } from './requests.repository.js';
import type { RouteSettings } from './door/route-table.js';

/** Stored pages: whoever has the unguessable address may read one until it expires (decision S15). */
@Controller('/html')
export class HtmlController {
  constructor(
    @Inject(HtmlStorage) private readonly storage: HtmlStorage,
    @Inject(RequestsRepository) private readonly requests: RequestsRepository,
  ) {}

  @Get('/*')
  @RouteConfig({ open: true } satisfies RouteSettings)
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const page = await this.storage.get((request.params as { '*': string })['*'], await this.requests.now());
    if (!page) throw ApiError.of('RESOURCE_NOT_FOUND');
    void reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        // Somebody else's page: no scripts, no cookies of ours, no forms.
        'content-security-policy': 'sandbox',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'private, no-store',
      })
      .send(Buffer.from(page));
  }
}
