import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LONG_STREAMS } from './long-streams.mjs';

const EVENTS = 10_000;
const STREAM_BYTES = 20_000_000;
/** Node and an engine need 16 MB; a reader that keeps a stream, or what it is parsed into, needs 60 and more. */
const HEAP_MB = 32;

const sent: Record<string, number> = {};
const server = createServer((request, response) => {
  const stream = LONG_STREAMS.find(({ format }) => format === request.url?.split('/')[1])!;
  Readable.from(padded(stream.pieces(EVENTS), stream.format)).pipe(response);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test(`every upstream's stream of 20 MB is read in a process that has ${HEAP_MB} MB`, async () => {
  const { port } = server.address() as AddressInfo;
  const flags = [`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=2'];
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, 'read-streams.mjs'), `http://127.0.0.1:${port}`]);
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const told = output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  expect({ told: told.map(({ format, status }) => `${format}: ${status}`), status, errors: errors.slice(-2000) }).toEqual({
    told: LONG_STREAMS.map(({ format }) => `${format}: ok`),
    status: 0,
    errors: '',
  });
  for (const { format, characters, sources } of told) {
    expect([format, sent[format]! >= STREAM_BYTES, characters > 200, sources > 1]).toEqual([format, true, true, true]);
  }
});

/** The stream, each event with a field that no reader knows, so long that they come to 20 MB. */
function* padded(pieces: Iterable<string>, format: string): Generator<Buffer> {
  const padding = `{"padding":"${'x'.repeat(STREAM_BYTES / EVENTS)}",`;
  for (const piece of pieces) {
    const bytes = Buffer.from(piece.replace('{', padding));
    sent[format] = (sent[format] ?? 0) + bytes.length;
    yield bytes;
  }
}
