import { Inject, Injectable } from '@nestjs/common';
import { API_KEY_FORM } from '@overheard/database';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.js';
import { RateLimit } from '../limits/rate-limit.js';
import { ANSWER_WITHIN_MS, inTime } from '../within.js';
import type { Caller } from './api-keys.repository.js';
import { KeyCache } from './key-cache.js';
import { type RouteSettings, RouteTable, settingsOf } from './route-table.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the door; null on routes that need no key. */
    caller: Caller | null;
    /** Decided before the body is read, but answered only afterwards, so that the request log can say what was asked. */
    refusal: ApiError | null;
    /** On the clock of `performance.now()`. */
    answerBy: number;
  }
}

/** Whoever passed the door. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error(`${request.url} was answered without a key`);
  return request.caller;
}

/** Everything that is looked at before the body is read: key, rate, route and method, scope, in this order (decision L4). */
@Injectable()
export class Door {
  constructor(
    @Inject(KeyCache) private readonly keys: KeyCache,
    @Inject(RateLimit) private readonly rate: RateLimit,
  ) {}

  guard(server: FastifyInstance): void {
    const routes = new RouteTable(server);
    server.decorateRequest('caller', null);
    server.decorateRequest('refusal', null);
    server.decorateRequest('answerBy', 0);
    server.addHook('onRequest', async (request, reply) => {
      void reply.header('x-request-id', request.id);
      request.answerBy = performance.now() + ANSWER_WITHIN_MS;
      const settings = settingsOf(request);
      if (settings.open) return;
      request.caller = await inTime(request, this.identify(request.headers.authorization));
      await this.countIn(request.caller, reply);
      if (request.is404) throw unknownRoute(routes.methodsOf(request.url));
      request.refusal = scopeRefusal(request.caller, settings);
    });
    server.addHook('preHandler', async ({ refusal }) => {
      if (refusal) throw refusal;
    });
  }

  private async identify(authorization = ''): Promise<Caller> {
    const [, key] = /^bearer +(.+)$/i.exec(authorization.trim()) ?? [];
    if (!key) throw ApiError.of('MISSING_API_KEY');
    if (!API_KEY_FORM.test(key)) throw ApiError.of('INVALID_API_KEY_FORMAT');
    const caller = await this.keys.find(key);
    if (!caller) throw ApiError.of('INVALID_OR_EXPIRED_API_KEY');
    return caller;
  }

  private async countIn({ accountId, rate }: Caller, reply: FastifyReply): Promise<void> {
    const { allowed, remaining, resetSeconds } = await this.rate.count(accountId, rate);
    void reply.headers({ 'x-ratelimit-limit': rate, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': resetSeconds });
    if (!allowed) throw ApiError.of('RATE_LIMIT_EXCEEDED', { limit: rate, window: '1s' }, { 'retry-after': '1' });
  }
}

function unknownRoute(methods: string[]): ApiError {
  return methods.length > 0 ? ApiError.of('METHOD_NOT_ALLOWED', undefined, { allow: methods.join(', ') }) : ApiError.of('NOT_FOUND');
}

function scopeRefusal({ scopes }: Caller, { scope }: RouteSettings): ApiError | null {
  return scope && scopes && !scopes.includes(scope) ? ApiError.of('INSUFFICIENT_PERMISSIONS', { required: scope }) : null;
}
