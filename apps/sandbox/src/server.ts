import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Steer } from '@overheard/providers/sandboxes';
import { answerCall } from './answer-call.js';
import { BodyTooLarge } from './body.js';
import { CallLog } from './call-log.js';
import { Inbox } from './inbox.js';
import type { Mount } from './mounts.js';
import { sendJson } from './send.js';

export interface SandboxServerOptions {
  mounts: ReadonlyMap<string, Mount>;
  /** Hears of what went wrong in here; faults that were asked for are none. */
  onError?: (error: unknown) => void;
}

/** Serves every stand-in upstream under its mount, beside the log of their calls and a webhook inbox. */
export function createSandboxServer({ mounts, onError = () => {} }: SandboxServerOptions): Server {
  const log = new CallLog();
  const inbox = new Inbox();
  const steer = new Steer();

  const route = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(`http://sandbox${request.url}`);
    const [, first = '', ...rest] = url.pathname.split('/');
    if (first === '_calls') return sendJson(response, 200, log.of(url.searchParams.get('nonce') ?? undefined));
    if (first === '_inbox') return inbox.handle(rest.join('/'), url.searchParams, { request, response });
    const mount = mounts.get(first);
    if (!mount) return sendJson(response, 404, { error: `Nothing is mounted there, but under ${[...mounts.keys()].map((name) => `/${name}`).join(', ')}.` });
    return answerCall({ ...mount, url: `/${rest.join('/')}${url.search}`, log, steer }, { request, response });
  };

  const server = createServer((request, response) => {
    route(request, response).catch((error: unknown) => {
      if (response.closed || response.destroyed) return;
      if (error instanceof BodyTooLarge) return sendJson(response, 413, { error: error.message });
      onError(error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: String(error) });
    });
  });
  // Clients' pools drop idle connections before we do: a call never meets one that is just being closed.
  server.keepAliveTimeout = 75_000;
  return server;
}
