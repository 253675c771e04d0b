import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { PersonView } from '@overheard/database';
import type { Config } from './config.js';
import { CONFIG } from './tokens.js';

const SESSION_MS = 12 * 3_600_000;

/** Who is logged in: a signed note in a cookie, so that it works with any number of dashboards. */
@Injectable()
export class Sessions {
  private readonly key: Buffer;

  constructor(@Inject(CONFIG) config: Config) {
    // A key of its own, so that a session is never good for anything else.
    this.key = createHmac('sha256', Buffer.from(config.ENCRYPTION_KEY, 'base64')).update('dashboard session').digest();
  }

  open(person: PersonView): string {
    const note = Buffer.from(JSON.stringify({ ...person, until: Date.now() + SESSION_MS })).toString('base64url');
    return `${note}.${this.sign(note)}`;
  }

  /** The person of a cookie; undefined when it is none of ours or its time is over. */
  read(cookie = ''): PersonView | undefined {
    const [note = '', signature = ''] = cookie.split('.');
    const expected = Buffer.from(this.sign(note));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const { until, ...person } = JSON.parse(Buffer.from(note, 'base64url').toString()) as PersonView & { until: number };
    return until > Date.now() ? person : undefined;
  }

  private sign(note: string): string {
    return createHmac('sha256', this.key).update(note).digest('base64url');
  }
}
