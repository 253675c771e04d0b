import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@overheard/database';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { RequestEntry, RequestStatus } from '../api.js';
import { keyName, keyPerson } from '../key-of-request.js';
import { Problem } from '../problem.js';
import { firstIdOf, idsThatBegin, momentOf, type RequestFilters, type RequestsQuery } from './filters.js';

const SEARCH_WITHIN_MS = 5000;
const BATCH = 1000;
// Gateways commit in another order than they make ids.
const OVERLAP_MS = 60_000;

/** An entry of the log as the database has it. */
export interface EntryRow extends Omit<RequestEntry, 'createdAt' | 'key'> {
  createdAt: Date;
  keyId: string;
  keyName: string | null;
  person: string | null;
}

/** An entry with all that is known of its task. JSON texts are as they were stored. */
export interface DetailRow extends EntryRow {
  payload: string | null;
  priority: number;
  idempotencyKey: string | null;
  webhookUrl: string | null;
  publishedAt: Date | null;
  taskStatus: string | null;
  startedAt: Date | null;
  completedAt: Date | null;
  expiresAt: Date | null;
  isExpired: boolean;
  route: string | null;
  timings: string | null;
  response: string | null;
  quality: string | null;
  error: string | null;
}

/** Reads of the request log. */
@Injectable()
export class RequestsRepository {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** A page of an account's requests, newest first. Throws the 422 of a search that takes too long. */
  async list(accountId: string, { since, ids, cursor, limit, ...filters }: RequestsQuery): Promise<EntryRow[]> {
    return this.within(SEARCH_WITHIN_MS, (transaction) =>
      entries(transaction, accountId, filters)
        .$if(since !== undefined, (query) => query.where('r.id', '>=', firstIdOf(momentOf(since as string) - OVERLAP_MS)))
        .$if(ids !== undefined, (query) => query.where('r.id', 'in', ids as string[]))
        .$if(cursor !== undefined, (query) => query.where('r.id', '<', cursor as string))
        .limit(limit)
        .execute(),
    );
  }

  /** All of an account's requests, newest first, a batch at a time: no query and no memory grows with their number. */
  async *all(accountId: string, filters: RequestFilters): AsyncGenerator<EntryRow> {
    let last: string | undefined;
    for (;;) {
      const batch = await entries(this.database, accountId, filters, 'whole prompts')
        .$if(last !== undefined, (query) => query.where('r.id', '<', last as string))
        .limit(BATCH)
        .execute();
      yield* batch;
      last = batch.at(-1)?.id;
      if (batch.length < BATCH) return;
    }
  }

  /** Undefined for a request that is unknown or another account's. */
  async find(accountId: string, id: string): Promise<DetailRow | undefined> {
    return entries(this.database, accountId, {}, 'whole prompts')
      .leftJoin('tasks as t', 't.id', 'r.id')
      .select([
        'r.payload',
        'r.priority',
        'r.idempotency_key as idempotencyKey',
        'r.webhook_url as webhookUrl',
        'r.published_at as publishedAt',
        't.status as taskStatus',
        't.started_at as startedAt',
        sql<Date | null>`coalesce(t.completed_at, r.completed_at)`.as('completedAt'),
        't.expires_at as expiresAt',
        sql<boolean>`r.state = 'settled' and coalesce(t.expires_at <= now(), true)`.as('isExpired'),
        't.route',
        't.timings',
        't.response',
        't.quality',
        't.error',
      ])
      .where('r.id', '=', id)
      .executeTakeFirst();
  }

  private async within<T>(ms: number, work: (transaction: Database) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction().execute(async (transaction) => {
        await sql`select set_config('statement_timeout', ${String(ms)}, true)`.execute(transaction);
        return work(transaction);
      });
    } catch (error) {
      const isTimeout = (error as { code?: string }).code === '57014';
      if (isTimeout) throw new Problem(422, 'There is too much to look through. Choose a shorter time, or search for an id.');
      throw error;
    }
  }
}

const PROMPT_SHOWN = 300;

const status = sql<RequestStatus>`case r.state when 'open' then 'in_progress' when 'refused' then 'refused' else case when r.status_code < 400 then 'ok' else 'failed' end end`;

function entries(database: Database, accountId: string, filters: RequestFilters, prompts?: 'whole prompts') {
  const query = database
    .selectFrom('requests as r')
    .leftJoin('api_keys as k', 'k.id', 'r.key_id')
    .select([
      'r.id',
      'r.provider',
      'r.mode',
      (prompts ? sql<string | null>`r.prompt` : sql<string | null>`left(r.prompt, ${PROMPT_SHOWN})`).as('prompt'),
      'r.country',
      status.as('status'),
      sql<number | null>`case when r.state <> 'open' then r.status_code end`.as('statusCode'),
      'r.credits_to_charge as creditsToCharge',
      'r.credits_charged as creditsCharged',
      'r.latency_ms as latencyMs',
      'r.created_at as createdAt',
      'r.test',
      'r.key_id as keyId',
      keyName.as('keyName'),
      keyPerson.as('person'),
    ])
    .where('r.account_id', '=', accountId)
    .orderBy('r.id', 'desc');
  return filtered(query, filters);
}

function filtered<Query extends SelectQueryBuilder<any, any, any>>(all: Query, filters: RequestFilters): Query {
  const { provider, status, country, key, mode, from, to, search } = filters;
  let query: SelectQueryBuilder<any, any, any> = all;
  if (provider !== undefined) query = query.where('r.provider', '=', provider);
  if (country !== undefined) query = query.where('r.country', '=', country.toUpperCase());
  if (key !== undefined) query = query.where('r.key_id', '=', key);
  if (mode !== undefined) query = query.where('r.mode', '=', mode);
  if (from !== undefined) query = query.where('r.id', '>=', firstIdOf(from));
  if (to !== undefined) query = query.where('r.id', '<', firstIdOf(to));
  if (typeof status === 'number') query = query.where('r.status_code', '=', status).where('r.state', '<>', 'open');
  else if (status === 'in_progress') query = query.where('r.state', '=', 'open');
  else if (status === 'refused') query = query.where('r.state', '=', 'refused');
  else if (status !== undefined) query = query.where('r.state', '=', 'settled').where('r.status_code', status === 'ok' ? '<' : '>=', 400);
  if (search === undefined) return query as Query;
  const range = idsThatBegin(search);
  if (range) return query.where('r.id', '>=', range[0]).where('r.id', '<=', range[1]) as Query;
  for (const word of search.split(/\s+/)) query = query.where('r.prompt', 'ilike', `%${word.replace(/[\\%_]/g, '\\$&')}%`);
  return query as Query;
}
