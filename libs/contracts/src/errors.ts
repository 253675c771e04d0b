import type { FailureReason } from './failure.js';

/** Every error code the API answers, with its HTTP status and message (interface.md, Errors; decisions S4 to S9, L3). */
export const ERRORS = {
  MISSING_API_KEY: { status: 401, message: 'Missing or invalid API key' },
  INVALID_API_KEY_FORMAT: { status: 401, message: 'Invalid API key format' },
  INVALID_OR_EXPIRED_API_KEY: { status: 401, message: 'Invalid or expired API key' },
  INSUFFICIENT_PERMISSIONS: { status: 403, message: 'Insufficient permissions' },
  INSUFFICIENT_CREDITS: { status: 403, message: 'Insufficient credits' },
  VALIDATION_ERROR: { status: 400, message: 'Request validation failed' },
  NOT_FOUND: { status: 404, message: 'There is no such route' },
  RESOURCE_NOT_FOUND: { status: 404, message: 'There is no such resource' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This route does not take that method' },
  RESOURCE_ALREADY_EXISTS: { status: 409, message: 'This idempotency key was used before' },
  RESOURCE_EXPIRED: { status: 409, message: 'What was to be sent again has expired' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The body must be sent as application/json' },
  CONCURRENT_LIMIT_EXCEEDED: { status: 429, message: 'Concurrent limit exceeded' },
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'Rate limit exceeded' },
  QUEUE_LIMIT_EXCEEDED: { status: 429, message: 'Too many outstanding tasks' },
  REQUEST_CANCELED: { status: 499, message: 'Request was canceled by client' },
  INTERNAL_SERVER_ERROR: { status: 500, message: 'Internal server error' },
  EXTERNAL_SERVICE_ERROR: { status: 502, message: 'External service error' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** The inner object of the Standard error body (interface.md, Body formats); also what a FAILED task's `response.error` holds. */
export interface StandardError {
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown>;
  /** ISO 8601. */
  timestamp: string;
}

/** Builds a Standard error; `message` replaces the table's when given. */
export function standardError(code: ErrorCode, details?: Record<string, unknown>, message?: string, at = new Date()): StandardError {
  return { code, message: message ?? ERRORS[code].message, ...(details ? { details } : {}), timestamp: at.toISOString() };
}

/** The error of a request whose upstream failed for good (decision S9). */
export function upstreamError(service: string, reason: FailureReason, attempts: number): StandardError {
  return standardError('EXTERNAL_SERVICE_ERROR', { service, attempts, reason }, `External service error: ${service}`);
}

/** The text of our own fault after all retries: a Simple 500 when answered, this message inside a task (decision S9). */
export const RETRIES_EXCEEDED = 'Maximum retries exceeded';

/** One problem of a refused body (decision S8). */
export interface FieldProblem {
  field: string;
  message: string;
}
