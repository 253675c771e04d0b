import type { Problem as Body } from './api.js';

/** An answer that is no success, as a sentence for the reader. */
export class Problem extends Error {
  override name = 'Problem';

  constructor(
    readonly status: number,
    message: string,
    /** What is wrong with which field. */
    readonly fields?: Record<string, string>,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }

  get body(): Body {
    return { error: { message: this.message, ...(this.fields ? { fields: this.fields } : {}) } };
  }
}

/** What does not exist, and what is another account's: nobody can tell the two apart. */
export const unknown = (what: string): Problem => new Problem(404, `There is no such ${what}.`);
