import { createHash } from 'node:crypto';
import { Tally } from './tally.js';
import { parseWords, type Words } from './words.js';

const PROMPTS_MAX = 50_000;

export type Fault = 'fail' | 'ratelimit' | 'blocked' | 'badkey' | 'quota';

/** The words of one call, with `#fail=3` and the like already decided for this attempt. */
export interface Steering {
  /** Which call for this prompt it is, from 1. */
  attempt: number;
  delayMs: number;
  /** What the upstream does this time instead of answering. */
  fault: Fault | undefined;
  truncate: boolean;
  empty: boolean;
  largeBytes: number;
  nonce: string | undefined;
  /** The steering words by name, such as `shopping`, `places` or `noaio`. */
  words: ReadonlySet<string>;
  /** The prompt without its steering words. */
  text: string;
}

/** Decides what each call meets, counting the calls for each prompt of a provider. */
export class Steer {
  readonly #calls = new Tally(PROMPTS_MAX);

  /** Counts a call and says what it meets. */
  next(provider: string, prompt: string): Steering {
    const attempt = this.#calls.next(`${provider} ${createHash('sha256').update(prompt).digest('base64')}`);
    const { blocked, ratelimit, fail, ...rest } = parseWords(prompt);
    return {
      ...rest,
      attempt,
      fault: faultOf(rest.words, { blocked, ratelimit, fail }, attempt),
      truncate: rest.words.has('truncate'),
      empty: rest.words.has('empty'),
    };
  }
}

/**
 * A call is turned away for its key first, then for its quota; both hold for good. The counted faults follow one
 * another: `#fail=2 #ratelimit=1 #blocked=1` is a challenge page, a 429, two failures, and then an answer.
 */
function faultOf(words: Words['words'], times: Pick<Words, 'blocked' | 'ratelimit' | 'fail'>, attempt: number): Fault | undefined {
  if (words.has('badkey')) return 'badkey';
  if (words.has('quota')) return 'quota';
  let past = 0;
  for (const fault of ['blocked', 'ratelimit', 'fail'] as const) {
    past += times[fault];
    if (attempt <= past) return fault;
  }
  return undefined;
}
