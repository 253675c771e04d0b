const WAIT_FIRST_MS = 250;
const WAIT_MAX_MS = 10_000;

/** How often a task is tried over all its claims (interface.md, Retry). */
export const ATTEMPTS_MAX = 10;

/** How long one attempt may take. */
export const ATTEMPT_MAX_MS = 120_000;

/** How often a degraded answer is asked for once more (decision L8). */
export const DEGRADED_RETRIES_MAX = 2;

/** The wait before the next attempt: full jitter under an exponential bound, and never less than the upstream asks for. */
export function waitMs(failedAttempts: number, retryAfterMs = 0, random = Math.random): number {
  const bound = Math.min(WAIT_MAX_MS, WAIT_FIRST_MS * 2 ** (failedAttempts - 1));
  return Math.max(retryAfterMs, Math.round(random() * bound));
}
