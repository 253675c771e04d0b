import type { ProviderContract } from '@overheard/providers/contracts';
import type { FastifyRequest } from 'fastify';
import { callerOf } from './door/door.js';
import type { NewRequest } from './requests.repository.js';

export interface Asked {
  contract: ProviderContract;
  /** As the contract's schema gave it. */
  payload: unknown;
  credits: number;
  mode: 'sync' | 'async';
  priority?: number;
  webhookUrl?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** A valid request as admission takes it. A test key's costs nothing (decision A4). */
export function newRequest(
  http: FastifyRequest,
  id: string,
  { contract, payload, credits, mode, priority = 1, webhookUrl, idempotencyKey }: Asked,
): NewRequest {
  const { accountId, keyId, test } = callerOf(http);
  return {
    id,
    account_id: accountId,
    key_id: keyId,
    test,
    provider: contract.id,
    mode,
    ...contract.describe(payload),
    priority,
    payload: JSON.stringify(payload),
    webhook_url: webhookUrl ?? null,
    idempotency_key: idempotencyKey ?? null,
    credits: test ? 0 : credits,
  };
}
