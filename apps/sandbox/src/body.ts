import type { IncomingMessage } from 'node:http';

/** A request's body was longer than its reader takes. */
export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

/** Reads a whole body as text. One that is too long is read to its end all the same, so that its sender hears why. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
  }
  if (bytes > bytesMax) throw new BodyTooLarge(`The body is longer than ${bytesMax} bytes.`);
  return Buffer.concat(chunks).toString();
}
