import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Transform } from 'node:stream';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server that can be cut, stalled, slowed, forgotten and mended: what is behind it is then away, silent, far away, or gone without a word. */
export class Link {
  private server: Server | undefined;
  private port = 0;
  private isStalled = false;
  private delayMs = 0;
  private readonly pairs = new Set<readonly [near: Socket, far: Socket]>();

  private constructor(private readonly target: URL) {}

  static async to(address: string): Promise<Link> {
    const link = new Link(new URL(address));
    await link.mend();
    return link;
  }

  /** The server's address by way of this link. */
  get address(): string {
    const address = new URL(this.target);
    address.host = `127.0.0.1:${this.port}`;
    return address.href;
  }

  /** From now on every connection is broken, and nobody connects. */
  async cut(): Promise<void> {
    if (!this.server) return;
    const closed = once(this.server, 'close');
    this.server.close();
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
    await closed;
    this.server = undefined;
  }

  /** From now on nothing gets through, and nobody is told. */
  stall(): void {
    this.isStalled = true;
    for (const [near, far] of this.pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
  }

  /** From now on whatever new connections carry arrives so much later, in each direction. */
  slow(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** The far side has forgotten every connection, and the near side is not told: half-open, as after a router lost its memory. New ones work. */
  forget(): void {
    for (const [near, far] of this.pairs) {
      near.unpipe(far).resume();
      far.removeAllListeners('close').destroy();
    }
  }

  /** All is as before: what was held up arrives. */
  async mend(): Promise<void> {
    if (this.isStalled) for (const [near, far] of this.pairs) near.pipe(far).pipe(near);
    this.isStalled = false;
    this.delayMs = 0;
    if (this.server) return;
    this.server = createServer((near) => this.join(near, connect(Number(this.target.port), this.target.hostname)));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private join(near: Socket, far: Socket): void {
    const pair = [near, far] as const;
    this.pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.pairs.delete(pair);
        near.destroy();
        far.destroy();
      });
    }
    if (this.isStalled) return;
    if (this.delayMs === 0) near.pipe(far).pipe(near);
    else near.pipe(late(this.delayMs)).pipe(far).pipe(late(this.delayMs)).pipe(near);
  }
}

/** Lets everything through, so much later. */
function late(ms: number): Transform {
  let queue = Promise.resolve();
  return new Transform({
    highWaterMark: 1024 * 1024,
    transform(chunk, _encoding, done) {
      const due = Date.now() + ms;
      queue = queue.then(() => sleep(due - Date.now())).then(() => void this.push(chunk));
      done();
    },
    flush: (done) => void queue.then(() => done()),
  });
}
