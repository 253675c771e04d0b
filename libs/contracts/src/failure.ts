/** Why an upstream gave no usable answer, and whether asking again can help (decision S9). */
export const FAILURE_REASONS = {
  blocked: { retryable: true },
  rate_limited: { retryable: true },
  timeout: { retryable: true },
  unavailable: { retryable: true },
  invalid_answer: { retryable: true },
  rejected_credentials: { retryable: false },
  quota_exhausted: { retryable: false },
  rejected_request: { retryable: false },
} as const;

export type FailureReason = keyof typeof FAILURE_REASONS;

/** An upstream that refused, failed or answered nonsense. The worker's one retry loop decides what follows from it. */
export class UpstreamFailure extends Error {
  override name = 'UpstreamFailure';
  readonly reason: FailureReason;
  /** How long the upstream itself asks us to wait, when it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: FailureReason, message: string, options: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
  }

  get retryable(): boolean {
    return FAILURE_REASONS[this.reason].retryable;
  }
}
