import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Hit {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  raw: Buffer;
}

export type Behaviour = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** A receiver on loopback that keeps what comes; `behave` answers the count-th request, from 1. */
export async function receive(behave: Behaviour = answer(200)) {
  const hits: Hit[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      hits.push({ at: Date.now(), path: request.url ?? '', headers: request.headers, raw: Buffer.concat(chunks) });
      receiver.behave(request, response, hits.length);
    });
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const receiver = {
    host,
    url: `http://${host}/hook`,
    hits,
    behave,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
export type Receiver = Awaited<ReturnType<typeof receive>>;

export const answer =
  (...statuses: number[]): Behaviour =>
  (_request, response, count) =>
    void response.writeHead(statuses[count - 1] ?? statuses.at(-1) ?? 200).end();

export const hang: Behaviour = () => undefined;
