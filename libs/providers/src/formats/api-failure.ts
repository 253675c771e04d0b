import { UpstreamFailure, type FailureReason } from '@overheard/contracts';
import { fieldsOf, isRecord, parseJson, textOf, type JsonRecord } from './json.js';
import { isHtml } from './payloads.js';
import { retryDelayMs, retryInfoMs } from './retry-delay.js';

interface Refusal {
  status: number;
  headers: Headers;
  text: string;
}

/** What a refusal over HTTP means. */
export function httpFailure({ status, headers, text }: Refusal): UpstreamFailure {
  if (!isHtml(text)) return apiFailure(parseJson(text) ?? text, { status, headers });
  return new UpstreamFailure(pageReason(status, text), `A web page came in place of an answer, with status ${status}`, {
    retryAfterMs: retryDelayMs(headers, ''),
  });
}

/** What an API's error body means; a stored body or an error inside a stream has neither status nor headers. */
export function apiFailure(body: unknown, { status, headers }: { status?: number; headers?: Headers } = {}): UpstreamFailure {
  const outer = fieldsOf(body);
  const error = { ...outer, ...fieldsOf(outer.error) };
  const message = textOf(error.message) ?? textOf(error.error) ?? textOf(body) ?? 'no message';
  const words = [error.code, error.type, error.status].filter((word) => typeof word === 'string').join(' ');
  const given = status ?? [error.status, error.statusCode, GRPC_STATUS[Number(error.code)], error.code].map(Number).find((code) => code >= 400 && code < 600);
  const delayMs = retryInfoMs(error.details);
  // Google says "you exceeded your current quota" of a minute's quota too, but only then when to come back.
  const reason = delayMs !== undefined && given === 429 ? 'rate_limited' : reasonOf(words, message, given);
  const label = [given, words].filter(Boolean).join(' ');
  return new UpstreamFailure(reason, `${label ? `${label}: ` : ''}${message}`.slice(0, 500), {
    retryAfterMs: reason === 'rate_limited' || reason === 'unavailable' ? (delayMs ?? retryDelayMs(headers, message)) : undefined,
  });
}

/** The failure that a payload tells of, as most APIs do it: in a field `error`. */
export const failureIn = (payload: JsonRecord): UpstreamFailure | undefined =>
  isRecord(payload.error) || textOf(payload.error) ? apiFailure(payload) : undefined;

// What the codes of a gRPC error are over HTTP, where an upstream puts them into JSON as they are.
const GRPC_STATUS: Record<number, number> = { 1: 499, 3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 9: 400, 13: 500, 14: 503, 16: 401 };

// Words that say more than the status they come with: a wrong key is a 400 at one upstream, a spent quota a 429 at another.
const BEFORE_STATUS: [FailureReason, RegExp][] = [
  ['quota_exhausted', /insufficient_quota|billing|exceeded your current quota|used all available credits|credits are depleted/i],
  ['rejected_credentials', /(?:invalid|incorrect|missing|expired)[ _-]?(?:api|subscription)[ _-]?key|api key (?:not valid|not found|expired)|authentication/i],
  ['blocked', /anti-?bot|unsupported_country|(?:country|region|location)[^.]{0,30} (?:is )?not supported/i],
];
const WITHOUT_STATUS: [FailureReason, RegExp][] = [
  ['rate_limited', /rate_?limit|too_?many_?requests|resource[\w -]*exhausted|\btokens\b|\brequests\b/i],
  ['rejected_request', /invalid|not_found|exceeded|policy|content_filter|mismatch|unsupported|_value|image/i],
];

function reasonOf(words: string, message: string, status: number | undefined): FailureReason {
  const told = BEFORE_STATUS.find(([, pattern]) => pattern.test(words) || pattern.test(message));
  if (told) return told[0];
  return status === undefined ? (WITHOUT_STATUS.find(([, pattern]) => pattern.test(words))?.[0] ?? 'unavailable') : statusReason(status);
}

function statusReason(status: number): FailureReason {
  if (status === 401 || status === 403) return 'rejected_credentials';
  if (status === 402) return 'quota_exhausted';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429) return 'rate_limited';
  // A conflict, which OpenAI's own client retries, and a cancellation on the upstream's side (499) come out well another time.
  return status < 500 && status !== 409 && status !== 499 ? 'rejected_request' : 'unavailable';
}

function pageReason(status: number, page: string): FailureReason {
  if (status === 429) return 'rate_limited';
  if (status === 404 || status === 405) return 'rejected_request';
  return status >= 500 && !/challenge|captcha|just a moment/i.test(page) ? 'unavailable' : 'blocked';
}
