import {
  type AttemptMade,
  type Outcome,
  type Quality,
  type QualityCheck,
  RETRIES_EXCEEDED,
  standardError,
  UpstreamFailure,
  upstreamError,
} from '@overheard/contracts';
import type { Clock } from '@overheard/runtime';
import { ATTEMPT_MAX_MS, ATTEMPTS_MAX, DEGRADED_RETRIES_MAX, waitMs } from './retry-policy.js';

const MESSAGE_MAX = 300;

/** What one attempt brought. */
export interface AttemptAnswer {
  result: unknown;
  quality: Quality;
  timings: { upstreamMs: number; parseMs: number };
}

export interface Attempts {
  /** The upstream's name in errors. */
  service: string;
  /** Makes one attempt; throws `UpstreamFailure`, or whatever else went wrong on our side. */
  ask: (signal: AbortSignal) => Promise<AttemptAnswer>;
  /** How many attempts earlier claims made. */
  made: number;
  /** How long the task may still take. */
  remainingMs: number;
  /** Aborts when the process ends: the attempt is thrown away and not counted. */
  signal: AbortSignal;
  clock: Clock;
  /** Hears of each attempt how it went: `ok`, `degraded`, the upstream's reason, or `internal`. */
  onAttempt: (result: string, ms: number) => void;
  /** Hears of each attempt that failed, or whose answer was degraded and will be asked for again. */
  onFailure: (attempts: number, reason: string, error?: unknown) => void;
}

export interface Ended {
  outcome: Outcome;
  charge: boolean;
  attempts: number;
  upstreamMs: number;
  parseMs: number;
  /** Each attempt, on the clock that was given. */
  tried: AttemptMade[];
}

/** The process ends: the task goes back to the queue. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/**
 * The only retry loop of the product: asks until there is a sound answer, the failure is final, the attempts are used up
 * or the time is. Transient failures are retried, a degraded answer at most twice while half the time is left; the best
 * answer seen is the one returned (decisions S9, L6, L8).
 */
export async function attemptUntilOver(task: Attempts): Promise<Ended> {
  const { clock } = task;
  const endsAt = clock.now() + task.remainingMs;
  let best: AttemptAnswer | undefined;
  let degraded = 0;
  let upstreamMs = 0;
  const made: AttemptMade[] = [];

  for (let attempts = task.made + 1; ; attempts += 1) {
    const began = clock.now();
    const tried = await attemptOnce(task, Math.min(ATTEMPT_MAX_MS, endsAt - began));
    const ms = clock.now() - began;
    const fault = reasonFor(tried);
    task.onAttempt(fault.reason ?? 'ok', ms);
    upstreamMs += 'answer' in tried ? tried.answer.timings.upstreamMs : ms;
    made.push({ attempt: attempts, startedAt: began, ms: Math.round(ms), ...fault });
    const ended = (outcome: Outcome, parseMs = 0): Ended => ({ outcome, charge: outcome.status === 'COMPLETED', attempts, upstreamMs, parseMs, tried: made });

    if ('answer' in tried) best = better(best, tried.answer);
    if (best?.quality.status === 'ok') return ended(completed(best), best.timings.parseMs);

    const isLast =
      attempts >= ATTEMPTS_MAX || ('answer' in tried && ++degraded > DEGRADED_RETRIES_MAX) || (best && endsAt - clock.now() < task.remainingMs / 2);
    const failure = 'error' in tried && tried.error instanceof UpstreamFailure ? tried.error : undefined;
    const wait = waitMs(attempts, failure?.retryAfterMs);
    if (isLast || failure?.retryable === false || clock.now() + wait >= endsAt) {
      if (best) return ended(completed(best), best.timings.parseMs);
      return ended({
        status: 'FAILED',
        error: failure ? upstreamError(task.service, failure.reason, attempts) : standardError('INTERNAL_SERVER_ERROR', undefined, RETRIES_EXCEEDED),
      });
    }
    task.onFailure(attempts, fault.reason ?? 'internal', 'error' in tried ? tried.error : undefined);
    await clock.sleep(wait, task.signal);
    if (task.signal.aborted) throw new Interrupted();
  }
}

type Tried = { answer: AttemptAnswer } | { error: unknown };

async function attemptOnce({ ask, signal, service }: Attempts, ms: number): Promise<Tried> {
  const late = AbortSignal.timeout(Math.max(1, ms));
  try {
    return { answer: await ask(AbortSignal.any([signal, late])) };
  } catch (error) {
    if (signal.aborted) throw new Interrupted();
    if (late.aborted) return { error: new UpstreamFailure('timeout', `${service} gave no answer within ${Math.round(ms / 1000)} s`, { cause: error }) };
    return { error };
  }
}

/** What was wrong with an attempt; nothing for a sound answer. What our own faults say is for our log alone. */
function reasonFor(tried: Tried): Pick<AttemptMade, 'reason' | 'message'> {
  if ('answer' in tried) return tried.answer.quality.status === 'ok' ? {} : { reason: 'degraded' };
  if (!(tried.error instanceof UpstreamFailure)) return { reason: 'internal' };
  return { reason: tried.error.reason, message: tried.error.message.slice(0, MESSAGE_MAX) };
}

const completed = ({ result, quality }: AttemptAnswer): Outcome => ({ status: 'COMPLETED', response: JSON.stringify(result), quality });

/** The answer that fails fewer checks; of two that are as good, the first. */
function better(one: AttemptAnswer | undefined, two: AttemptAnswer): AttemptAnswer {
  const faults = ({ quality }: AttemptAnswer) => quality.checks.filter((check: QualityCheck) => check.status === 'failed').length;
  return one && faults(one) <= faults(two) ? one : two;
}
