import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { durationMs } from '@overheard/contracts';
import { Tally } from '@overheard/providers/sandboxes';
import { systemClock } from '@overheard/runtime';
import * as z from 'zod';
import { readBody } from './body.js';
import { hangUpOf, sendJson } from './send.js';

const BODY_BYTES_MAX = 64 * 1024 * 1024;
const KEPT_BYTES_MAX = 256 * 1024 * 1024;
const KEPT_MAX = 10_000;
const NAMES_MAX = 10_000;

interface Delivery {
  name: string;
  at: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** `?status=500&times=3` is a 500 three times, then 200; without `times` it stays. `delay` holds up each answer. */
const behaviour = z.object({
  status: z.coerce.number().int().min(200).max(599).default(200),
  delay: durationMs.prefault('0s'),
  times: z.coerce.number().int().min(0).default(Infinity),
});

/** A webhook receiver under every name: keeps the latest deliveries as they came, within bounds. */
export class Inbox {
  readonly #deliveries: Delivery[] = [];
  readonly #counts = new Tally(NAMES_MAX);
  #bytes = 0;

  /** Takes a delivery (POST) or lists what came (GET). */
  async handle(name: string, query: URLSearchParams, { request, response }: { request: IncomingMessage; response: ServerResponse }): Promise<void> {
    if (request.method === 'GET') return sendJson(response, 200, this.#of(name));
    if (request.method !== 'POST') return sendJson(response, 405, { error: 'An inbox takes POST and GET.' });
    const { data, error } = behaviour.safeParse(Object.fromEntries(query));
    if (!data) return sendJson(response, 400, { error: z.prettifyError(error) });

    const signal = hangUpOf(response);
    const at = new Date().toISOString();
    const body = await readBody(request, BODY_BYTES_MAX);
    const count = this.#keep({ name, at, headers: request.headers, body });
    await systemClock.sleep(data.delay, signal);
    if (!signal.aborted) response.writeHead(count <= data.times ? data.status : 200).end();
  }

  #of(name: string): Omit<Delivery, 'name'>[] {
    return this.#deliveries.filter((delivery) => delivery.name === name).map(({ at, headers, body }) => ({ at, headers, body }));
  }

  /** Keeps a delivery and says how many this name has had. */
  #keep(delivery: Delivery): number {
    this.#deliveries.push(delivery);
    this.#bytes += delivery.body.length;
    while (this.#deliveries.length > KEPT_MAX || this.#bytes > KEPT_BYTES_MAX) this.#bytes -= this.#deliveries.shift()?.body.length ?? 0;
    return this.#counts.next(delivery.name);
  }
}
