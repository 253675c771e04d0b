import type { StandardError } from '@overheard/contracts';

/** Why an upstream did not answer, and what helps: by the `reason` of the error's details. */
const BY_REASON: Record<string, { why: string; help: string }> = {
  blocked: {
    why: 'The upstream showed a challenge or consent page instead of an answer.',
    help: 'Run it again in a few minutes. If it goes on, give the worker another way out (a proxy or capture service) for this country.',
  },
  rate_limited: { why: 'The upstream is taking fewer requests than were sent.', help: 'Run it again in a minute, or lower how many run at once.' },
  timeout: { why: 'No answer came in time.', help: 'Run it again. If the queue is long, look at the queue page: there may be too few workers.' },
  unavailable: {
    why: 'The upstream could not be reached, or answered with a fault of its own.',
    help: 'Run it again. The status page shows whether other requests get through.',
  },
  invalid_answer: {
    why: 'What came back could not be read as an answer.',
    help: 'Run it again. If every request of this provider fails so, its format has probably changed: an update is needed.',
  },
  rejected_credentials: {
    why: 'The upstream refused the operator’s credentials.',
    help: 'Check the provider’s API key in the settings of its worker; running it again does not help before that.',
  },
  quota_exhausted: {
    why: 'The operator’s quota with the upstream is used up.',
    help: 'Raise the quota with the upstream; running it again does not help before that.',
  },
  rejected_request: { why: 'The upstream refused this request for what it asks.', help: 'Change the prompt or its options, then try again in the playground.' },
};

const BY_CODE: Record<string, { why: string; help: string }> = {
  VALIDATION_ERROR: {
    why: 'The request was not as the API wants it, so nothing was asked and nothing charged.',
    help: 'The details of the answer named each field that was wrong.',
  },
  INSUFFICIENT_CREDITS: { why: 'The account had fewer credits than the request costs.', help: 'Grant credits to the account, then send it again.' },
  INSUFFICIENT_PERMISSIONS: { why: 'The key’s scopes do not allow this call.', help: 'Make a key with the scope that is missing.' },
  CONCURRENT_LIMIT_EXCEEDED: {
    why: 'Too many synchronous requests of the account ran at once.',
    help: 'Send fewer at a time, or create tasks: those wait in the queue.',
  },
  QUEUE_LIMIT_EXCEEDED: { why: 'The account has too many outstanding tasks.', help: 'Wait until some are done; the queue page shows them.' },
  RESOURCE_ALREADY_EXISTS: { why: 'Its idempotency key was used before.', help: 'The first task has the answer; use another key for another task.' },
  REQUEST_CANCELED: { why: 'It was canceled, or its client left before the answer.', help: 'Run it again if the answer is wanted after all.' },
  INTERNAL_SERVER_ERROR: {
    why: 'Something failed on this side, not with the upstream.',
    help: 'Run it again. The worker’s log has the cause under this request’s id.',
  },
};

const BY_STATUS: Record<number, string> = {
  400: 'VALIDATION_ERROR',
  403: 'INSUFFICIENT_PERMISSIONS',
  409: 'RESOURCE_ALREADY_EXISTS',
  499: 'REQUEST_CANCELED',
  500: 'INTERNAL_SERVER_ERROR',
};

/** Why a request came to nothing, and what to do; undefined where nothing more can be said than its error does. */
export const adviceOn = (error: StandardError | null, statusCode: number | null): { why: string; help: string } | undefined =>
  BY_REASON[String(error?.details?.['reason'])] ?? BY_CODE[error?.code ?? BY_STATUS[statusCode ?? 0] ?? ''];
