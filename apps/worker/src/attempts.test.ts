import { describe, expect, test } from '@jest/globals';
import { type FailureReason, judged, type Quality, UpstreamFailure } from '@overheard/contracts';
import type { Clock } from '@overheard/runtime';
import { type AttemptAnswer, attemptUntilOver, Interrupted } from './attempts.js';
import { waitMs } from './retry-policy.js';

const sound: Quality = judged([{ id: 'answer_present', status: 'ok' }]);
const weak = (faults: number): Quality => judged(Array.from({ length: faults }, () => ({ id: 'sources_present', status: 'failed' as const })));
const answer = (quality: Quality, result: unknown = {}): AttemptAnswer => ({ result, quality, timings: { upstreamMs: 5, parseMs: 1 } });

/** Time passes only while somebody sleeps. */
function testClock(): Clock & { slept: number[] } {
  let now = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
  };
}

/** Runs a task whose attempts give these things in turn; the last one for ever. */
function run(script: (AttemptAnswer | Error)[], options: { made?: number; remainingMs?: number; clock?: Clock; signal?: AbortSignal } = {}) {
  let asked = 0;
  const ended = attemptUntilOver({
    service: 'Upstream',
    ask: async () => {
      const next = script[Math.min(asked++, script.length - 1)] as AttemptAnswer | Error;
      if (next instanceof Error) throw next;
      return next;
    },
    made: options.made ?? 0,
    remainingMs: options.remainingMs ?? 600_000,
    signal: options.signal ?? new AbortController().signal,
    clock: options.clock ?? testClock(),
    onAttempt: () => undefined,
    onFailure: () => undefined,
  });
  return ended.then((result) => ({ ...result, asked }));
}

const failure = (reason: FailureReason, retryAfterMs?: number) => new UpstreamFailure(reason, reason, { retryAfterMs });

describe('the retry loop', () => {
  test('tells of each attempt when it began, how long it took and why it was made again; of our own faults no more than that', async () => {
    const clock = testClock();
    const { tried } = await run([failure('unavailable', 7000), new TypeError('a secret'), answer(weak(1)), answer(sound)], { clock, made: 2 });
    const [one = 0, two = 0, three = 0] = clock.slept;
    expect(tried).toEqual([
      { attempt: 3, startedAt: 0, ms: 0, reason: 'unavailable', message: 'unavailable' },
      { attempt: 4, startedAt: one, ms: 0, reason: 'internal' },
      { attempt: 5, startedAt: one + two, ms: 0, reason: 'degraded' },
      { attempt: 6, startedAt: one + two + three, ms: 0 },
    ]);
  });

  test('a sound answer ends it and is charged', async () => {
    const ended = await run([answer(sound, { text: 'hello' })]);
    expect(ended).toMatchObject({ asked: 1, attempts: 1, charge: true, outcome: { status: 'COMPLETED', response: '{"text":"hello"}' } });
  });

  test.each(['blocked', 'rate_limited', 'timeout', 'unavailable', 'invalid_answer'] as const)(
    '%s is retried, ten attempts in all, then free',
    async (reason) => {
      const ended = await run([failure(reason)]);
      expect(ended).toMatchObject({ asked: 10, attempts: 10, charge: false });
      expect(ended.outcome).toMatchObject({
        status: 'FAILED',
        error: { code: 'EXTERNAL_SERVICE_ERROR', message: 'External service error: Upstream', details: { service: 'Upstream', attempts: 10, reason } },
      });
    },
  );

  test.each(['rejected_credentials', 'quota_exhausted', 'rejected_request'] as const)('%s is final at once', async (reason) => {
    expect(await run([failure(reason)])).toMatchObject({ asked: 1, charge: false, outcome: { error: { details: { attempts: 1, reason } } } });
  });

  test('nine failures are overcome by the tenth attempt', async () => {
    expect(await run([...Array.from({ length: 9 }, () => failure('unavailable')), answer(sound)])).toMatchObject({ asked: 10, attempts: 10, charge: true });
  });

  test('attempts of earlier claims count', async () => {
    expect(await run([failure('unavailable')], { made: 7 })).toMatchObject({ asked: 3, attempts: 10 });
  });

  test('our own fault ends as our own fault', async () => {
    expect((await run([new TypeError('bug')])).outcome).toMatchObject({
      status: 'FAILED',
      error: { code: 'INTERNAL_SERVER_ERROR', message: 'Maximum retries exceeded' },
    });
  });

  test('a degraded answer is asked for twice more, and the best of the three is returned', async () => {
    const ended = await run([answer(weak(2), 1), answer(weak(1), 2), answer(weak(3), 3)]);
    expect(ended).toMatchObject({ asked: 3, charge: true, outcome: { status: 'COMPLETED', response: '2', quality: { status: 'degraded' } } });
  });

  test('a degraded answer is better than a failure after it', async () => {
    expect(await run([answer(weak(1), 1), failure('quota_exhausted')])).toMatchObject({ asked: 2, outcome: { status: 'COMPLETED', response: '1' } });
  });

  test('a degraded answer is not asked for again when less than half the time is left', async () => {
    const clock = testClock();
    const slow = { ...answer(weak(1)) };
    const ended = attemptUntilOver({
      service: 'Upstream',
      ask: async () => (await clock.sleep(60_000), slow),
      made: 0,
      remainingMs: 100_000,
      signal: new AbortController().signal,
      clock,
      onAttempt: () => undefined,
      onFailure: () => undefined,
    });
    expect(await ended).toMatchObject({ attempts: 1, outcome: { status: 'COMPLETED' } });
  });

  test("an upstream's own retry delay is obeyed when it fits, and ends the task when it does not", async () => {
    const clock = testClock();
    expect(await run([failure('rate_limited', 20_000), answer(sound)], { clock })).toMatchObject({ asked: 2 });
    expect(clock.slept[0]).toBeGreaterThanOrEqual(20_000);
    expect(await run([failure('rate_limited', 700_000)])).toMatchObject({ asked: 1, outcome: { status: 'FAILED' } });
  });

  test('the end of the process interrupts it without an outcome', async () => {
    const abort = new AbortController();
    const clock: Clock = { ...testClock(), sleep: async () => abort.abort() };
    await expect(run([failure('unavailable')], { clock, signal: abort.signal })).rejects.toThrow(Interrupted);
  });
});

test('the wait has full jitter under an exponential bound of at most ten seconds', () => {
  expect([1, 2, 3, 6, 7, 9].map((failed) => waitMs(failed, 0, () => 1))).toEqual([250, 500, 1000, 8000, 10_000, 10_000]);
  expect(waitMs(5, 0, () => 0)).toBe(0);
  expect(waitMs(1, 3000, () => 0)).toBe(3000);
});
