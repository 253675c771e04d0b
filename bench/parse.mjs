// Processor time from a stream's first byte to the finished result, for every format. `× bare` is against JSON.parse of the same events alone, in
// the same run; `growth` is of the time a MiB, against the row above: 1 where the cost grows as the stream does.
import { contractOf } from '../libs/providers/dist/contracts.js';
import { loadEngine } from '../libs/providers/dist/engines.js';
import { LONG_STREAMS } from '../libs/providers/test/long-streams.mjs';
import { best, round } from './lib/processor-time.mjs';

const EVENTS = [1000, 10_000, 100_000];
const WARM_UP_EVENTS = 5000;
const CHUNK_BYTES = 64 * 1024;

export async function parse() {
  const rows = [];
  for (const stream of LONG_STREAMS) {
    const sizes = EVENTS.map((events) => ({ name: stream.format, events, pieces: stream.pieces(events) }));
    rows.push(...(await measureSizes(stream, sizes)));
    if (!stream.cumulative) continue;
    // In earnest the answer grows with the events too, so that the stream grows with their square; 64 MiB are allowed.
    const growing = [500, 1500, 4500].map((events) => ({ name: `${stream.format}, growing`, events, pieces: stream.pieces(events, events * 4) }));
    rows.push(...(await measureSizes(stream, growing)));
  }
  return rows;
}

/**
 * @param {import('../libs/providers/test/long-streams.mjs').LongStream} stream
 * @param {{ name: string, events: number, pieces: Iterable<string> }[]} sizes
 */
async function measureSizes({ provider, settings, pieces: piecesOf }, sizes) {
  const module = await loadEngine(provider);
  const engine = module.create(module.settings.parse(settings('http://127.0.0.1:9')));
  const request = contractOf(provider).request.parse({ prompt: 'Which pump is quiet?', country: 'DE' });
  const attempt = { request, route: 'live', sandboxUrl: undefined, signal: new AbortController().signal, storeHtml: async () => '' };
  const rows = [];
  let before;
  // The smallest size would otherwise be that of code which has yet to be compiled.
  await answering(Buffer.concat([...joined(piecesOf(WARM_UP_EVENTS))]), () => best(() => engine.ask(attempt)));
  for (const { name, events, pieces } of sizes) {
    const sent = [...pieces];
    const bytes = Buffer.concat([...joined(sent)]);
    const objects = sent.map((piece) => piece.slice(piece.indexOf('{'), piece.lastIndexOf('}') + 1)).filter(Boolean);
    const bareMs = await best(() => parseBare(objects));
    const ms = await answering(bytes, () => best(() => engine.ask(attempt)));
    const mib = bytes.length / 2 ** 20;
    rows.push({
      format: name,
      events,
      MiB: round(mib),
      ms: Math.round(ms),
      'µs an event': round((ms * 1000) / events),
      'ms a MiB': round(ms / mib),
      '× bare': round(ms / bareMs),
      growth: before === undefined ? '' : round(ms / mib / before),
    });
    before = ms / mib;
  }
  return rows;
}

/** Chunks of a stream, so that no text has to hold all of it. @param {Iterable<string>} pieces */
function* joined(pieces) {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < CHUNK_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

/**
 * Does some work while every request is answered with the same bytes, a chunk at a time as a socket gives them, without a network between.
 * @template Result
 * @param {Buffer} bytes
 * @param {() => Promise<Result>} work
 */
async function answering(bytes, work) {
  const { fetch } = globalThis;
  globalThis.fetch = async () => new Response(ReadableStream.from(chunksOf(bytes)));
  try {
    return await work();
  } finally {
    globalThis.fetch = fetch;
  }
}

/** @param {Buffer} bytes */
function* chunksOf(bytes) {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
}

/** The peer: what nobody can do without. @param {string[]} objects */
function parseBare(objects) {
  for (const object of objects) JSON.parse(object);
}
