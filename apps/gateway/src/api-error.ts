import { ERRORS, type ErrorCode, type FieldProblem, RETRIES_EXCEEDED, standardError, type StandardError } from '@overheard/contracts';

/** An answer that is an error: status, body in one of the three forms of interface.md, and headers of its own. */
export class ApiError extends Error {
  override name = 'ApiError';

  private constructor(
    readonly status: number,
    readonly body: object,
    readonly headers: Record<string, string> = {},
  ) {
    super(JSON.stringify(body));
  }

  static of(code: ErrorCode, details?: Record<string, unknown>, headers?: Record<string, string>): ApiError {
    return ApiError.standard(standardError(code, details), headers);
  }

  /** An error in the Standard form; our own fault after all retries is the Simple one (decision S9). */
  static standard(error: StandardError, headers?: Record<string, string>): ApiError {
    const isGivenUp = error.code === 'INTERNAL_SERVER_ERROR' && error.message === RETRIES_EXCEEDED;
    return new ApiError(ERRORS[error.code].status, isGivenUp ? { success: false, error: error.message } : { error }, headers);
  }

  /** A refused body: one entry a problem, all of them at once (decision S8). */
  static invalid(details: FieldProblem[]): ApiError {
    return new ApiError(400, { success: false, error: 'Request validation failed', details });
  }

  /** As an entry of a batch's results: always in the Standard form (decision X3). */
  asItem(): { error: { code: string; message: string; details?: unknown } } {
    const { error, details } = this.body as { error: StandardError | string; details?: FieldProblem[] };
    if (typeof error === 'object') return { error };
    return { error: { code: 'VALIDATION_ERROR', message: error, ...(details ? { details } : {}) } };
  }
}
