import { UpstreamFailure } from '@overheard/contracts';
import { type Dispatcher, request } from 'undici';
import * as z from 'zod';
import { httpFailure } from './api-failure.js';

/** Decision L9. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** An operator's key or token, as a header can hold it. */
export const credential = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'Expected printable characters')
  .optional();

interface JsonPost {
  url: string;
  headers: Record<string, string>;
  body: unknown;
  signal: AbortSignal;
  bytesMax?: number;
}

/**
 * Posts JSON and gives the answer's text as it arrives. A refusal, like trouble on the way, is an `UpstreamFailure`; an
 * abort for any reason but the attempt's time throws that reason as it is.
 */
export async function postJson({ url, headers, body, signal, bytesMax = ANSWER_BYTES_MAX }: JsonPost): Promise<ArrivingText> {
  const posting = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body), signal } as const;
  // Not `fetch`, whose streams and headers cost three times as much.
  const response = await request(url, posting).catch((error: unknown) => Promise.reject(transportFailure(error, signal)));
  const { statusCode: status } = response;
  const text = new ArrivingText(response.body, signal, bytesMax);
  if (status < 200 || status >= 300) throw httpFailure({ status, headers: headersOf(response.headers), text: await text.whole() });
  return text;
}

const headersOf = (headers: Dispatcher.ResponseData['headers']): Headers =>
  new Headers(Object.entries(headers).flatMap(([name, values]) => [values ?? []].flat().map((value): [string, string] => [name, value])));

/** A text that is read once, piece by piece. */
export class ArrivingText implements AsyncIterable<string> {
  /** Why it ended before its end, when it did; what had arrived is given all the same. */
  broken: UpstreamFailure | undefined;
  /** How long its reader has waited for pieces. */
  waitedMs = 0;

  constructor(
    private readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    private readonly signal: AbortSignal,
    private readonly bytesMax: number,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void> {
    const decoder = new TextDecoder();
    let arrived = 0;
    let asked = performance.now();
    try {
      for await (const chunk of this.bytes) {
        this.waitedMs += performance.now() - asked;
        arrived += chunk.byteLength;
        if (arrived > this.bytesMax) break;
        yield decoder.decode(chunk, { stream: true });
        asked = performance.now();
      }
    } catch (error) {
      this.broken = transportFailure(error, this.signal);
      return;
    }
    if (arrived > this.bytesMax) throw new UpstreamFailure('invalid_answer', `The answer is larger than ${this.bytesMax} bytes`);
    yield decoder.decode();
  }

  /** All of it, where it is short or of no use in pieces. */
  async whole(): Promise<string> {
    let text = '';
    for await (const piece of this) text += piece;
    return text;
  }
}

/** What an error of the transport means; throws the reason of an abort that was no time-out. */
function transportFailure(error: unknown, signal: AbortSignal): UpstreamFailure {
  if (signal.aborted) {
    if ((signal.reason as Error | undefined)?.name !== 'TimeoutError') throw signal.reason;
    return new UpstreamFailure('timeout', 'The attempt took too long', { cause: error });
  }
  // Its message may hold a header's value, so only its code is told.
  const { code = 'no code' } = error as { code?: string };
  return new UpstreamFailure(/TIMEOUT|TIMEDOUT/.test(code) ? 'timeout' : 'unavailable', `The connection failed (${code})`);
}
