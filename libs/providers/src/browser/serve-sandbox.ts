import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox, SandboxNote } from '../sandbox.js';
import { Steer } from '../steering/steering.js';

export interface ServedSandbox {
  url: string;
  /** What was asked of it. */
  notes: SandboxNote[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** For tests: a provider's stand-in on loopback, as the sandbox serves it. */
export async function serveSandbox(sandbox: Sandbox): Promise<ServedSandbox> {
  const steer = new Steer();
  const notes: SandboxNote[] = [];
  const answer = async ({ method, url, headers }: IncomingMessage, response: ServerResponse) => {
    const call = { method: method!, url: url!, headers, body: '', signal: new AbortController().signal };
    const note = sandbox.note(call);
    if (!note) return response.writeHead(404).end();
    notes.push(note);
    const steering = steer.next('sandbox', note.prompt);
    await sleep(steering.delayMs, undefined, { ref: false });
    const reply = await sandbox.answer(call, note, steering);
    response.writeHead(reply.status, reply.headers);
    for await (const part of typeof reply.body === 'string' ? [reply.body] : reply.body) response.write(part);
    return reply.broken ? response.socket?.destroySoon() : response.end();
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    notes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
