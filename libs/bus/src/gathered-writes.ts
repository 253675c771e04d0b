import { NodeTransport } from '@nats-io/transport-node/lib/node_transport.js';

/** What a connection has yet to write in this turn of the event loop. */
const gathered = new WeakMap<NodeTransport, Uint8Array[]>();

/**
 * Lets connections to NATS write once a turn of the event loop. By itself the client writes once a microtask, which at load is a system call and a
 * wake-up of the server for nearly every message: together they were a fifth of the processor time of a request (bench/README.md).
 */
export function gatherWrites(): void {
  NodeTransport.prototype.send = function (frame) {
    const frames = gathered.get(this);
    if (frames) return void frames.push(frame);
    gathered.set(this, [frame]);
    setImmediate(() => {
      const all = gathered.get(this) ?? [];
      gathered.delete(this);
      // The client finds a lost connection out when it reads.
      void this._send(Buffer.concat(all)).catch(() => undefined);
    });
  };
}
