import { fieldsOf, listOf, textOf } from './json.js';

/** How long an upstream asks us to wait: from its headers, else from words such as "try again in 1.2s". */
export function retryDelayMs(headers: Headers | undefined, message: string, now = Date.now()): number | undefined {
  return (headers && (fromRetryAfter(headers, now) ?? fromRateLimitReset(headers))) ?? fromWords(message);
}

/** How long Google asks us to wait, among an error's `details`: a `RetryInfo` with a `retryDelay` such as `34.4s`. */
export function retryInfoMs(details: unknown): number | undefined {
  const info = listOf(details)
    .map(fieldsOf)
    .find((detail) => String(detail['@type']).endsWith('google.rpc.RetryInfo'));
  return spanMs(textOf(info?.retryDelay) ?? '');
}

function fromRetryAfter(headers: Headers, now: number): number | undefined {
  const ms = headers.get('retry-after-ms');
  if (ms && Number(ms) >= 0) return Math.round(Number(ms));
  const after = headers.get('retry-after');
  if (!after) return undefined;
  if (Number(after) >= 0) return Math.round(Number(after) * 1000);
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The longest wait among the limits that are used up: `x-ratelimit-remaining-tokens: 0` with `x-ratelimit-reset-tokens: 34.142s`. */
function fromRateLimitReset(headers: Headers): number | undefined {
  const waits = ['requests', 'tokens']
    .filter((limit) => Number(headers.get(`x-ratelimit-remaining-${limit}`) ?? 1) <= 0)
    .map((limit) => spanMs(headers.get(`x-ratelimit-reset-${limit}`) ?? ''))
    .filter((wait) => wait !== undefined);
  return waits.length ? Math.max(...waits) : undefined;
}

function fromWords(message: string): number | undefined {
  const [, span] = /(?:try|retry)[^.\n]{0,20}? (?:in|after) ((?:\d+(?:\.\d+)? ?(?:ms|h|m|s)[a-z]* ?)+)/i.exec(message) ?? [];
  return span ? spanMs(span) : undefined;
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `120ms`, `34.142s`, `6m0s`, `20 seconds`. */
function spanMs(span: string): number | undefined {
  const amounts = [...span.matchAll(/(\d+(?:\.\d+)?) ?(ms|h|m|s)/g)];
  return amounts.length ? Math.round(amounts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNIT_MS[unit!]!, 0)) : undefined;
}
