import { pipeline, Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { Database, listDeliveries } from '@overheard/database';
import { stringify } from 'csv-stringify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { visitorOf } from '../access/access.js';
import type { ExportedRequest, RequestDetail, RequestsPage } from '../api.js';
import type { Config } from '../config.js';
import { unknown } from '../problem.js';
import { CONFIG } from '../tokens.js';
import { isId, valid } from '../validate.js';
import { deliveryOf } from '../webhooks/views.js';
import { requestFilters, type RequestFilters, requestsQuery } from './filters.js';
import { RequestsRepository } from './requests.repository.js';
import { detailOf, entryOf, exportOf } from './views.js';

/** More than a task can have, which is one. */
const DELIVERIES_MAX = 10;

const COLUMNS: Record<keyof ExportedRequest, string> = {
  id: 'id',
  createdAt: 'createdAt',
  provider: 'provider',
  mode: 'mode',
  country: 'country',
  prompt: 'prompt',
  status: 'status',
  statusCode: 'statusCode',
  creditsCharged: 'creditsCharged',
  latencyMs: 'latencyMs',
  test: 'test',
  keyId: 'keyId',
  keyName: 'keyName',
  person: 'person',
};

/** The request log. */
@Controller('/api')
export class RequestsController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(RequestsRepository) private readonly requests: RequestsRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('/requests')
  async list(@Req() request: FastifyRequest, @Query() given: unknown): Promise<RequestsPage> {
    const query = valid(requestsQuery, given);
    const rows = await this.requests.list(visitorOf(request).accountId, query);
    return { requests: rows.map(entryOf), nextCursor: rows.length === query.limit ? (rows.at(-1)?.id ?? null) : null };
  }

  /** A prompt that begins like a formula is written so that no spreadsheet runs it. */
  @Get('/requests.csv')
  csv(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query() given: unknown): void {
    const lines = stringify({ header: true, columns: COLUMNS, escape_formulas: true, bom: true, cast: { boolean: String } });
    // A fault destroys what is sent, so that no file looks whole that is not.
    pipeline(Readable.from(this.exported(request, valid(requestFilters, given))), lines, () => undefined);
    send(reply, 'text/csv; charset=utf-8', 'requests.csv', lines);
  }

  @Get('/requests.ndjson')
  ndjson(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Query() given: unknown): void {
    send(reply, 'application/x-ndjson', 'requests.ndjson', Readable.from(linesOf(this.exported(request, valid(requestFilters, given)))));
  }

  @Get('/requests/:id')
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<RequestDetail> {
    const { accountId } = visitorOf(request);
    const row = isId(id) ? await this.requests.find(accountId, id) : undefined;
    if (!row) throw unknown('request');
    const { deliveries } = await listDeliveries(this.database, { accountId, taskId: row.id, limit: DELIVERIES_MAX });
    return detailOf(row, deliveries.map(deliveryOf), this.config.PUBLIC_URL ?? this.config.GATEWAY_URL);
  }

  private async *exported(request: FastifyRequest, filters: RequestFilters): AsyncGenerator<ExportedRequest> {
    for await (const row of this.requests.all(visitorOf(request).accountId, filters)) yield exportOf(row);
  }
}

async function* linesOf(rows: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

function send(reply: FastifyReply, type: string, name: string, body: Readable): void {
  void reply.headers({ 'content-type': type, 'content-disposition': `attachment; filename="${name}"` }).send(body);
}
