import { UpstreamFailure } from '@overheard/contracts';

/** Decision L9. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** An upstream's whole answer over HTTP. */
export interface Exchange {
  status: number;
  headers: Headers;
  text: string;
  /** Why the body ended before its end, when it did; `text` is what had arrived. */
  broken?: UpstreamFailure;
}

interface JsonPost {
  url: string;
  headers: Record<string, string>;
  body: unknown;
  signal: AbortSignal;
  bytesMax?: number;
}

/**
 * Posts JSON and reads the whole answer. Trouble on the way is an `UpstreamFailure`; an abort for any reason but the
 * attempt's time throws that reason as it is.
 */
export async function postJson({ url, headers, body, signal, bytesMax = ANSWER_BYTES_MAX }: JsonPost): Promise<Exchange> {
  const request = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body), signal };
  const response = await fetch(url, request).catch((error: unknown) => Promise.reject(transportFailure(error, signal)));
  return { status: response.status, headers: response.headers, ...(await readBody(response, signal, bytesMax)) };
}

async function readBody(response: Response, signal: AbortSignal, bytesMax: number): Promise<{ text: string; broken?: UpstreamFailure }> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) break;
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    return { text, broken: transportFailure(error, signal) };
  }
  if (bytes > bytesMax) throw new UpstreamFailure('invalid_answer', `The answer is larger than ${bytesMax} bytes`);
  return { text: text + decoder.decode() };
}

/** What an error of the transport means; throws the reason of an abort that was no time-out. */
function transportFailure(error: unknown, signal: AbortSignal): UpstreamFailure {
  if (signal.aborted) {
    if ((signal.reason as Error | undefined)?.name !== 'TimeoutError') throw signal.reason;
    return new UpstreamFailure('timeout', 'The attempt took too long', { cause: error });
  }
  // The error itself may hold a header's value, so only its cause is told.
  const { cause } = error as { cause?: { code?: string } };
  const code = cause?.code ?? 'no code';
  return new UpstreamFailure(/TIMEOUT|TIMEDOUT/.test(code) ? 'timeout' : 'unavailable', `The connection failed (${code})`, { cause });
}
