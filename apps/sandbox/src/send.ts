import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { SandboxReply } from '@overheard/providers/sandboxes';

/** Aborts when the caller leaves before the answer is out. */
export function hangUpOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Writes a stand-in's reply at the pace of its reader. */
export async function send(response: ServerResponse, { status, headers, body, broken = false }: SandboxReply, signal: AbortSignal): Promise<void> {
  if (typeof body === 'string' && !broken) {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
    return;
  }
  response.writeHead(status, headers);
  for await (const part of typeof body === 'string' ? [body] : body) {
    if (signal.aborted) return;
    if (!response.write(part)) await once(response, 'drain', { signal });
  }
  // The chunked body has no end then, so its reader sees that something is missing.
  if (broken) response.socket?.destroySoon();
  else response.end();
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}
