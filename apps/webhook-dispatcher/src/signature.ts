import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

export interface Signed {
  taskId: string;
  attempt: number;
  body: Buffer;
  /** The whole `whsec_` string. */
  secret: string;
  /** Unix time in seconds. */
  timestamp: number;
}

/** The headers of a signed attempt: ours (decision W2) and those of Standard Webhooks 1.0 (decision W3). */
export function signatureHeaders({ taskId, attempt, body, secret, timestamp }: Signed): Record<string, string> {
  const ours = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const standardKey = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const standard = createHmac('sha256', standardKey).update(`${taskId}.${timestamp}.`).update(body).digest('base64');
  return {
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Signature': `v1=${ours}`,
    'X-Service-Webhook-Id': `${taskId}-${attempt}`,
    'webhook-id': taskId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${standard}`,
  };
}
