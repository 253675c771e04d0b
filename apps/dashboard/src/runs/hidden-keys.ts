import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Database, lendHiddenKey } from '@overheard/database';
import type { Visitor } from '../access/sessions.js';
import type { Config } from '../config.js';
import { CONFIG } from '../tokens.js';

const TURN_MS = 10 * 60_000;
const GRACE_MS = 60_000;

/**
 * The keys with which the dashboard acts for a person: nobody sees them, they are in no list, and each is good for some
 * minutes. They are derived, so that every dashboard has the same one at the same time and none has to be kept.
 */
@Injectable()
export class HiddenKeys {
  private readonly secret: Buffer;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) config: Config,
  ) {
    // A secret of its own, so that what is derived here is never good for anything else.
    this.secret = createHmac('sha256', config.ENCRYPTION_KEY).update('dashboard keys').digest();
  }

  async lend({ accountId, email: person }: Visitor, test: boolean): Promise<string> {
    const turn = Math.floor(Date.now() / TURN_MS);
    const form = createHmac('sha256', this.secret).update(`${accountId} ${person} ${test} ${turn}`).digest('base64url');
    const key = `sk_${test ? 'test' : 'live'}_${form}`;
    const forMs = (turn + 1) * TURN_MS - Date.now() + GRACE_MS;
    await lendHiddenKey(this.database, { accountId, person, test, key, forMs });
    return key;
  }
}
