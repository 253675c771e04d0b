import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Replay {
  status?: number;
  headers?: Record<string, string>;
  body: string | Uint8Array;
  /** Bytes sent at a time; the whole body when absent. */
  chunkBytes?: number;
  /** What happens after the last byte: the answer ends, the connection breaks, or nothing ever comes. */
  then?: 'end' | 'break' | 'stall';
}

export interface ReplayUpstream {
  url: string;
  requests: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** For tests: an upstream on loopback that gives every request the same answer, byte for byte. */
export async function replayUpstream({ status = 200, headers = {}, body, chunkBytes, then = 'end' }: Replay): Promise<ReplayUpstream> {
  const requests: ReplayUpstream['requests'] = [];
  const bytes = Buffer.from(body);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    requests.push({ method: request.method!, path: request.url!, headers: request.headers, body: Buffer.concat(parts).toString() });
    if (then !== 'stall' || bytes.length) response.writeHead(status, headers).flushHeaders();
    for (let at = 0; at < bytes.length && !response.destroyed; at += chunkBytes ?? bytes.length) {
      response.write(bytes.subarray(at, at + (chunkBytes ?? bytes.length)));
      // Lets each piece leave by itself.
      await nextTurn();
    }
    if (then === 'end') response.end();
    if (then === 'break') response.socket?.destroySoon();
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
