const JITTER = 0.1;

/** How often a delivery is tried: once, and once more after each delay. */
export const attemptsMaxOf = (delaysMs: readonly number[]): number => delaysMs.length + 1;

/** How long after a failed attempt the next one comes, at most a tenth late so that retries spread (decision W5). The last one has none. */
export function retryDelayMs(attempt: number, delaysMs: readonly number[], random: () => number = Math.random): number {
  return Math.round((delaysMs[attempt - 1] ?? 0) * (1 + JITTER * random()));
}
