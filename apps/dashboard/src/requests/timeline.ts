import type { AttemptMade, Timings } from '@overheard/contracts';
import type { Delivery, TimelineEvent } from '../api.js';
import type { DetailRow } from './requests.repository.js';

/** What happened to a request and when, as far as it is on record. */
export function timelineOf(row: DetailRow, timings: Timings | null, deliveries: Delivery[]): TimelineEvent[] {
  const { createdAt, publishedAt, startedAt, completedAt, status, statusCode } = row;
  if (status === 'refused') return [{ kind: 'refused', at: createdAt.toISOString(), ms: null, statusCode: statusCode ?? 0 }];
  const events: TimelineEvent[] = [{ kind: 'queued', at: createdAt.toISOString(), ms: null }];
  // It is written down a moment after it was done; by then a worker may have it.
  if (publishedAt) events.push({ kind: 'published', at: earliest(publishedAt, startedAt).toISOString(), ms: null });
  if (startedAt) events.push({ kind: 'started', at: startedAt.toISOString(), ms: null });
  events.push(...(timings?.attempts ?? []).map(attemptEvent));
  if (status !== 'in_progress' && completedAt)
    events.push({ kind: status === 'ok' ? 'completed' : 'failed', at: completedAt.toISOString(), ms: null, statusCode: statusCode ?? 0 });
  events.push(...deliveries.flatMap(deliveryEvents));
  // What is on record at the same moment stays in the order above.
  return events.sort((one, two) => Date.parse(one.at) - Date.parse(two.at));
}

const earliest = (one: Date, two: Date | null): Date => (two && two < one ? two : one);

const deliveryEvents = ({ id, attempts }: Delivery): TimelineEvent[] =>
  attempts.map(({ attempt, at, durationMs, statusCode, error }) => ({ kind: 'delivery', deliveryId: id, at, ms: durationMs, attempt, statusCode, error }));

const attemptEvent = ({ attempt, startedAt, ms, reason, message }: AttemptMade): TimelineEvent => ({
  kind: 'attempt',
  at: new Date(startedAt).toISOString(),
  ms,
  attempt,
  reason: reason ?? null,
  message: message ?? null,
});
