import { Inject, Injectable } from '@nestjs/common';
import { isCarriable } from '@overheard/contracts';
import { contractOf } from '@overheard/providers/contracts';
import { Batcher, Events, type Logger } from '@overheard/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { callerOf } from './door/door.js';
import { settingsOf } from './door/route-table.js';
import { contractAt } from './monitor.controller.js';
import { type RefusedRequest, RequestsRepository } from './requests.repository.js';
import { LOGGER } from './tokens.js';

const BATCH_MAX = 500;
const TEXT_MAX = 10_000;

/** One line for each request in the process's log, and an entry in the account's request log for the refused ones (decision L7). */
@Injectable()
export class RequestLog {
  private readonly rows: Batcher<RefusedRequest>;
  private readonly events: Events;

  constructor(
    @Inject(RequestsRepository) requests: RequestsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.events = new Events(logger);
    this.rows = new Batcher((rows) => requests.logRefused(rows), { itemsMax: BATCH_MAX });
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
      const { logged: mode } = settingsOf(request);
      if (caller && reply.statusCode >= 400 && mode)
        this.refused(request, { id: request.id, body: request.body, status: reply.statusCode, mode, latencyMs: reply.elapsedTime });
    });
  }

  /** Notes a refused request; its body is whatever was sent. */
  refused(request: FastifyRequest, refusal: Refusal): void {
    const row = refusedRow(request, refusal);
    void this.rows.add(row).catch((error: unknown) => this.logger.warn({ err: error, requestId: row.id }, 'refused request not logged'));
  }
}

interface Refusal {
  id: string;
  body: unknown;
  status: number;
  mode: 'sync' | 'async';
  latencyMs?: number;
}

function refusedRow(request: FastifyRequest, { id, body, status, mode, latencyMs = 0 }: Refusal): RefusedRequest {
  const { accountId, keyId, test } = callerOf(request);
  const sent = asObject(body);
  const asked = mode === 'async' ? asObject(sent['payload']) : sent;
  const provider = mode === 'async' ? contractOf(textOf(sent['taskType']) ?? '') : contractAt(request.routeOptions.url);
  return {
    id,
    account_id: accountId,
    key_id: keyId,
    test,
    provider: provider?.id ?? null,
    mode,
    prompt: textOf(asked['prompt'] ?? asked['query']),
    country: textOf(asked['country']),
    status_code: status,
    latency_ms: Math.round(latencyMs),
  };
}

const asObject = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {});

/** What a log can hold of a value that nobody has checked. */
const textOf = (value: unknown): string | null => (typeof value === 'string' && isCarriable(value) ? value.slice(0, TEXT_MAX) : null);
