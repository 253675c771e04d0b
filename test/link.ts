import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server that can be cut and mended: what is behind a cut one is away. */
export class Link {
  private server: Server | undefined;
  private port = 0;
  private readonly sockets = new Set<Socket>();

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

  /** From now on nothing gets through, and nobody connects. */
  async cut(): Promise<void> {
    if (!this.server) return;
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
    this.server = undefined;
  }

  async mend(): Promise<void> {
    this.server = createServer((near) => this.join(near, connect(Number(this.target.port), this.target.hostname)));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private join(near: Socket, far: Socket): void {
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }
}
