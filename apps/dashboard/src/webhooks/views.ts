import type { AttemptView, DeliveryView } from '@overheard/database';
import type { Delivery, DeliveryAttempt } from '../api.js';

export const deliveryOf = ({ deliveryId, taskId, url, status, nextAttemptAt, attempts }: DeliveryView): Delivery => ({
  id: deliveryId,
  requestId: taskId,
  url,
  status,
  nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
  attempts: attempts.map(attemptOf),
});

export const attemptOf = ({ attempt, at, statusCode, durationMs, error }: AttemptView): DeliveryAttempt => ({
  attempt,
  at: at.toISOString(),
  statusCode,
  durationMs,
  error,
});
