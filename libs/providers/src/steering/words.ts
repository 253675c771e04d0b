import { parseDurationMs } from '@overheard/contracts';

// prettier-ignore
const NAMES = new Set([
  'delay', 'fail', 'ratelimit', 'blocked', 'truncate', 'badkey', 'quota', 'empty', 'large', 'nonce',
  'noaio', 'noresults', 'shopping', 'places', 'hotels', 'images', 'videos', 'ads', 'aio', 'paa', 'news',
]);

/** What the steering words of a prompt ask for, before any call is counted (operations.md, The sandbox). */
export interface Words {
  delayMs: number;
  /** How many calls a fault lasts: 0 for none of them, Infinity for all. */
  blocked: number;
  ratelimit: number;
  fail: number;
  largeBytes: number;
  nonce: string | undefined;
  /** Every steering word that is there, with or without a value. */
  words: ReadonlySet<string>;
  /** The prompt without its steering words. */
  text: string;
}

/** Reads a prompt. A word that begins with `#` but steers nothing, such as `#1`, stays part of the text. */
export function parseWords(prompt: string): Words {
  const values = new Map<string, string>();
  const text: string[] = [];
  for (const part of prompt.split(/\s+/)) {
    const [, name = '', value = ''] = /^#([a-z]+)(?:=(\S+))?$/.exec(part) ?? [];
    if (NAMES.has(name)) values.set(name, value);
    else text.push(part);
  }
  return {
    delayMs: parseDurationMs(values.get('delay') ?? '') ?? 0,
    blocked: timesOf(values.get('blocked')),
    ratelimit: timesOf(values.get('ratelimit')),
    fail: timesOf(values.get('fail')),
    largeBytes: bytesOf(values.get('large')),
    nonce: nonceOf(values.get('nonce')),
    words: new Set(values.keys()),
    text: text.join(' ').trim(),
  };
}

/** `#fail=3` is three calls; `#fail=always`, and the bare `#fail`, all of them. */
function timesOf(value: string | undefined): number {
  if (value === '' || value === 'always') return Infinity;
  return /^\d+$/.test(value ?? '') ? Number(value) : 0;
}

function bytesOf(value = ''): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(b|kb|mb)$/.exec(value.toLowerCase()) ?? [];
  return amount === undefined ? 0 : Math.round(Number(amount) * { b: 1, kb: 1024, mb: 1024 * 1024 }[unit as 'b' | 'kb' | 'mb']);
}

/** A nonce comes back in addresses, so it has to be harmless there. */
const nonceOf = (value = '') => (/^[\w-]{1,64}$/.test(value) ? value : undefined);
