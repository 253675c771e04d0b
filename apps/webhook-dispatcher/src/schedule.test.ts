import { expect, it } from '@jest/globals';
import { attemptsMaxOf, retryDelayMs } from './schedule.js';

const MINUTE = 60_000;
const DELAYS = [2, 4, 8, 16].map((minutes) => minutes * MINUTE);

it('attempts 2 to 5 come 2, 4, 8 and 16 minutes after the one before', () => {
  expect(attemptsMaxOf(DELAYS)).toBe(5);
  expect([1, 2, 3, 4].map((attempt) => retryDelayMs(attempt, DELAYS, () => 0))).toEqual(DELAYS);
});

it('jitter only ever adds, a tenth at most', () => {
  for (const random of [0, 0.25, 0.5, 0.999]) {
    const delay = retryDelayMs(2, DELAYS, () => random);
    expect(delay).toBeGreaterThanOrEqual(4 * MINUTE);
    expect(delay).toBeLessThanOrEqual(4.4 * MINUTE);
  }
});
