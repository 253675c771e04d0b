import type { Database } from '../database.js';

/** An entry of the request log (operations.md, admin requests). */
export interface RequestEntry {
  requestId: string;
  provider: string | null;
  mode: string;
  prompt: string | null;
  country: string | null;
  statusCode: number;
  creditsCharged: number | null;
  latencyMs: number | null;
  createdAt: Date;
}

/** An account's requests, newest first. A synchronous one that is not answered yet is not in the log. */
export async function listRequests(database: Database, accountId: string, limit: number): Promise<RequestEntry[]> {
  return database
    .selectFrom('requests')
    .select([
      'id as requestId',
      'provider',
      'mode',
      'prompt',
      'country',
      'status_code as statusCode',
      'credits_charged as creditsCharged',
      'latency_ms as latencyMs',
      'created_at as createdAt',
    ])
    .where('account_id', '=', accountId)
    .where('status_code', '>', 0)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
