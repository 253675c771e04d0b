import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach } from '@jest/globals';
import type { Reply } from './api-client.js';
import type { Tenant } from './stack.js';

/** What became of a call: its answer, or the way its connection broke. */
export interface Call {
  kind: 'task' | 'sync';
  nonce: string;
  reply: Reply | undefined;
  /** When it began, on the clock of `performance.now()`. */
  at: number;
  ms: number;
}

export interface LoadOptions {
  perSecond: number;
  /** Every so many calls is a synchronous one; none by default. */
  syncEvery?: number;
  /** Begins the nonces, so that upstream calls can be told apart. */
  name: string;
  /** Words for the sandbox. */
  words?: string;
  webhook?: (nonce: string) => string;
}

const running = new Set<Load>();
// A test that fails does not come to the end of its load.
afterEach(async () => void (await Promise.allSettled([...running].map((load) => load.end()))));

/** Calls at a steady pace, whatever becomes of them, until it is ended. */
export class Load {
  readonly calls: Call[] = [];
  private readonly open: Promise<void>[] = [];
  private readonly faults: unknown[] = [];
  private ending = false;
  private readonly loop: Promise<void>;

  constructor(
    private readonly tenant: Tenant,
    private readonly options: LoadOptions,
  ) {
    running.add(this);
    this.loop = this.run();
  }

  /** Calls no more, and gives all calls once each has come to its end. */
  async end(): Promise<Call[]> {
    this.ending = true;
    await this.loop;
    await Promise.all(this.open);
    running.delete(this);
    if (this.faults.length > 0) throw this.faults[0];
    return this.calls;
  }

  private async run(): Promise<void> {
    const { perSecond, syncEvery = Infinity } = this.options;
    const began = performance.now();
    for (let index = 0; !this.ending; index += 1) {
      this.open.push(this.call(index % syncEvery === syncEvery - 1 ? 'sync' : 'task', `${this.options.name}-${index}`));
      await sleep(began + ((index + 1) * 1000) / perSecond - performance.now());
    }
  }

  private async call(kind: Call['kind'], nonce: string): Promise<void> {
    const { words = '', webhook } = this.options;
    const payload = { prompt: `Under load? ${words} #nonce=${nonce}` };
    const began = performance.now();
    const reply = await (
      kind === 'sync' ? this.tenant.ask(payload) : this.tenant.create({ payload, ...(webhook ? { webhook: { url: webhook(nonce) } } : {}) })
    ).catch((error: Error) => {
      // A reply that the API's document does not know is a fault of ours; a broken connection is one of the test's doing.
      if (/openapi/.test(error.message)) this.faults.push(error);
      return undefined;
    });
    this.calls.push({ kind, nonce, reply, at: began, ms: performance.now() - began });
  }
}

/** How often each status was answered; `broken` counts connections that broke. */
export function statusesOf(calls: Call[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reply } of calls) counts[reply?.status ?? 'broken'] = (counts[reply?.status ?? 'broken'] ?? 0) + 1;
  return counts;
}

/** Asks again and again, each time anew, until one answer comes; gives the seconds that took. Throws when it took too long. */
export async function flows(tenant: Tenant, withinMs = 15_000): Promise<number> {
  const began = Date.now();
  let isAnswered = false;
  for (; !isAnswered && Date.now() < began + withinMs; await sleep(250))
    void tenant.ask({ prompt: 'There?' }).then(
      ({ status }) => (isAnswered ||= status === 200),
      () => undefined,
    );
  if (!isAnswered) throw new Error(`no synchronous request was answered within ${withinMs} ms`);
  return (Date.now() - began) / 1000;
}
