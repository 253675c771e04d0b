import { Inject, Injectable } from '@nestjs/common';
import { isCarriable } from '@overheard/contracts';
import { contractOf } from '@overheard/providers/contracts';
import { Batcher, Events, type Logger } from '@overheard/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { settingsOf } from './door/route-table.js';
import { contractAt } from './monitor.controller.js';
import { type RefusedRequest, RequestsRepository } from './requests.repository.js';
import { LOGGER } from './tokens.js';

const BATCH_MAX = 500;
const TEXT_MAX = 10_000;

/** One line for each request in the process's log, and an entry in the account's request log for the refused ones (decision L7). */
@Injectable()
export class RequestLog {
  private readonly refused: Batcher<RefusedRequest>;
  private readonly events: Events;

  constructor(
    @Inject(RequestsRepository) requests: RequestsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.events = new Events(logger);
    this.refused = new Batcher((rows) => requests.logRefused(rows), { itemsMax: BATCH_MAX });
  }

  watch(server: FastifyInstance): void {
    server.addHook('onResponse', async (request, reply) => {
      const { caller } = request;
      this.events.done(
        'request',
        reply.elapsedTime,
        { method: request.method, route: request.routeOptions?.url, status: reply.statusCode },
        { requestId: request.id, accountId: caller?.accountId, keyId: caller?.keyId },
      );
      // An admitted request has its row already; writing it again changes nothing.
      if (caller && reply.statusCode >= 400 && settingsOf(request).logged) await this.logRefused(request, reply);
    });
  }

  private async logRefused(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      await this.refused.add(refusedRow(request, reply));
    } catch (error) {
      this.logger.warn({ err: error, requestId: request.id }, 'refused request not logged');
    }
  }
}

function refusedRow(request: FastifyRequest, reply: FastifyReply): RefusedRequest {
  const { caller } = request;
  if (!caller) throw new Error('only requests with a key are logged');
  const mode = settingsOf(request).logged ?? 'sync';
  const body = asObject(request.body);
  const asked = mode === 'async' ? asObject(body['payload']) : body;
  const provider = mode === 'async' ? contractOf(String(body['taskType'])) : contractAt(request.routeOptions.url);
  return {
    id: request.id,
    account_id: caller.accountId,
    key_id: caller.keyId,
    test: caller.test,
    provider: provider?.id ?? null,
    mode,
    prompt: textOf(asked['prompt'] ?? asked['query']),
    country: textOf(asked['country']),
    status_code: reply.statusCode,
    latency_ms: Math.round(reply.elapsedTime),
  };
}

const asObject = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {});

/** What a log can hold of a value that nobody has checked. */
const textOf = (value: unknown): string | null => (typeof value === 'string' && isCarriable(value) ? value.slice(0, TEXT_MAX) : null);
