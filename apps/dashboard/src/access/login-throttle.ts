import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@overheard/database';
import { sql } from 'kysely';
import { Problem } from '../problem.js';

const WINDOW_S = 15 * 60;
const TRIES_MAX = 10;
const TRIES_MAX_OF_ADDRESS = 100;

/**
 * How often it may be tried to log in: from one address for one person, and from one address for all of them. Windows end
 * by themselves, and nobody can fill one for somebody at another address; so nobody is locked out for good.
 */
@Injectable()
export class LoginThrottle {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Counts a try before it is looked at, so that tries at the same time count too. Throws the 429. */
  async count(address: string, email: string): Promise<void> {
    await this.database
      .deleteFrom('login_tries')
      .where('ends_at', '<', sql<Date>`now()`)
      .execute();
    const waits = [await this.waitOf(one(address, email), TRIES_MAX), await this.waitOf(all(address), TRIES_MAX_OF_ADDRESS)];
    const seconds = Math.max(...waits);
    if (seconds > 0)
      throw new Problem(429, `Too many tries. Wait ${Math.ceil(seconds / 60)} minutes, then try again.`, undefined, { 'retry-after': String(seconds) });
  }

  /** A try that was right does not count. */
  async forgive(address: string, email: string): Promise<void> {
    await this.database.deleteFrom('login_tries').where('digest', '=', one(address, email)).execute();
    await this.database
      .updateTable('login_tries')
      .set({ tries: sql`tries - 1` })
      .where('digest', '=', all(address))
      .execute();
  }

  /** Seconds until another try is allowed; 0 when this one is. */
  private async waitOf(digest: Buffer, triesMax: number): Promise<number> {
    const { tries, seconds } = await this.database
      .insertInto('login_tries')
      .values({ digest, tries: 1, ends_at: sql`now() + ${WINDOW_S} * interval '1 second'` })
      .onConflict((conflict) => conflict.column('digest').doUpdateSet({ tries: sql`login_tries.tries + 1` }))
      .returning(['tries', sql<number>`ceil(extract(epoch from ends_at - now()))`.as('seconds')])
      .executeTakeFirstOrThrow();
    return tries > triesMax ? seconds : 0;
  }
}

const one = (address: string, email: string): Buffer => digestOf(`${address} ${email.toLowerCase()}`);
const all = (address: string): Buffer => digestOf(address);
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
