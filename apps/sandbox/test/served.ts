import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Sandbox } from '@overheard/providers/sandboxes';
import { loadMounts } from '../src/mounts.js';
import { createSandboxServer } from '../src/server.js';

/** Serves stand-ins on a free port of loopback. */
export async function serve(sandboxes: Record<string, () => Promise<Sandbox>>) {
  const errors: unknown[] = [];
  const server = createSandboxServer({ mounts: await loadMounts(sandboxes), onError: (error) => errors.push(error) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    errors,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A stand-in that answers in the way given; its prompt is the body, its page and country come from the query. */
export function upstream(answer: Sandbox['answer']): Sandbox {
  return {
    note({ method, url, body }) {
      const { pathname, searchParams } = new URL(url, 'http://upstream');
      if (method !== 'POST' || pathname !== '/ask') return undefined;
      return { prompt: body, country: searchParams.get('country') ?? undefined, page: Number(searchParams.get('page')) || undefined };
    },
    answer,
  };
}

/** Answers with the fault, or with the text. */
export const plain = upstream(async (_call, _note, { fault, text, attempt }) =>
  fault ? { status: 500, body: fault } : { status: 200, headers: { 'content-type': 'text/plain' }, body: `${text} ${attempt}` },
);

export const ask = (url: string, prompt: string, init: RequestInit = {}) => fetch(url, { method: 'POST', body: prompt, ...init });
