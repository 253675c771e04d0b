import type { Timings } from '@overheard/contracts';
import { contractOf } from '@overheard/providers/contracts';
import type { Delivery, ExportedRequest, RequestDetail, RequestEntry } from '../api.js';
import type { DetailRow, EntryRow } from './requests.repository.js';
import { timelineOf } from './timeline.js';

export const entryOf = (row: EntryRow): RequestEntry => ({
  id: row.id,
  provider: row.provider,
  mode: row.mode,
  prompt: row.prompt,
  country: row.country,
  status: row.status,
  statusCode: row.statusCode,
  creditsToCharge: row.creditsToCharge,
  creditsCharged: row.creditsCharged,
  latencyMs: row.latencyMs,
  createdAt: row.createdAt.toISOString(),
  test: row.test,
  key: { id: row.keyId, name: row.keyName, person: row.person },
});

export const exportOf = (row: EntryRow): ExportedRequest => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  provider: row.provider,
  mode: row.mode,
  country: row.country,
  prompt: row.prompt,
  status: row.status,
  statusCode: row.statusCode,
  creditsCharged: row.creditsCharged,
  latencyMs: row.latencyMs,
  test: row.test,
  keyId: row.keyId,
  keyName: row.keyName,
  person: row.person,
});

export function detailOf(row: DetailRow, deliveries: Delivery[], apiUrl: string): RequestDetail {
  const isOver = row.status === 'ok' || row.status === 'failed';
  const timings = parsed<Timings>(row.timings);
  // Rows are deleted some seconds after their time; until then they are as gone.
  const kept = row.isExpired ? { response: null, quality: null, error: null, payload: null } : row;
  const payload = parsed<Record<string, unknown>>(kept.payload);
  return {
    ...entryOf(row),
    payload,
    priority: row.priority,
    idempotencyKey: row.idempotencyKey,
    webhookUrl: row.webhookUrl,
    upstream: row.route === 'live' || row.route === 'sandbox' ? row.route : null,
    timeline: timelineOf(row, timings, deliveries),
    timings: isOver && timings ? { queueMs: timings.queueMs, upstreamMs: timings.upstreamMs, parseMs: timings.parseMs } : null,
    result: isOver ? kept.response : null,
    quality: isOver ? parsed(kept.quality) : null,
    error: isOver ? parsed(kept.error) : null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    isExpired: row.isExpired,
    call: callOf(row, payload, apiUrl),
    deliveries,
  };
}

/** The request as its client would send it once more: with the same webhook, without the idempotency key, which is used up. */
function callOf({ provider, mode, priority, webhookUrl }: DetailRow, payload: Record<string, unknown> | null, apiUrl: string): RequestDetail['call'] {
  const contract = provider === null ? undefined : contractOf(provider);
  if (!contract || !payload) return null;
  if (mode === 'sync') return { method: 'POST', url: `${apiUrl}/v1/monitor/${contract.path}`, body: payload };
  const body = { taskType: contract.id, payload, priority, ...(webhookUrl === null ? {} : { webhook: { url: webhookUrl } }) };
  return { method: 'POST', url: `${apiUrl}/v1/async/task`, body };
}

const parsed = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));
