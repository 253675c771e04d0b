import type { SandboxNote, Steering } from '@overheard/providers/sandboxes';

const ENTRIES_MAX = 10_000;

/** An upstream call as `/_calls` tells of it (operations.md, The sandbox). */
export interface CallEntry {
  at: string;
  provider: string;
  country: string | null;
  location: string | null;
  language: string | null;
  device: string | null;
  page: number | null;
  attempt: number;
  /** Null until it was answered, and for good when the caller left before. */
  status: number | null;
}

/** The latest upstream calls, from the moment they arrive. */
export class CallLog {
  readonly #calls: { nonce: string | undefined; entry: CallEntry }[] = [];

  /** Adds a call; its status is filled in by whoever answers. */
  open(provider: string, note: SandboxNote, { attempt, nonce }: Pick<Steering, 'attempt' | 'nonce'>): CallEntry {
    const { country = null, location = null, language = null, device = null, page = null } = note;
    const entry: CallEntry = { at: new Date().toISOString(), provider, country, location, language, device, page, attempt, status: null };
    this.#calls.push({ nonce, entry });
    if (this.#calls.length > ENTRIES_MAX) this.#calls.shift();
    return entry;
  }

  /** The calls made with a nonce, oldest first; all calls without one. */
  of(nonce: string | undefined): CallEntry[] {
    return this.#calls.filter((call) => nonce === undefined || call.nonce === nonce).map(({ entry }) => entry);
  }
}
