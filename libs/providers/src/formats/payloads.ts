import { UpstreamFailure } from '@overheard/contracts';
import { isRecord, parseJson, type JsonRecord } from './json.js';
import { readSse } from './sse.js';

/**
 * The JSON objects of an upstream's answer in order, whether it came as one JSON text, as server-sent events, or as
 * lines that hold one or several objects each, such as the frames of a WebSocket. Text that broke off gives what had
 * arrived; a page in place of an answer is `blocked`.
 */
export function readPayloads(text: string): JsonRecord[] {
  const body = text.trim();
  if (isHtml(body)) throw new UpstreamFailure('blocked', 'A web page came in place of an answer');
  const whole = parseJson(body);
  if (whole !== undefined) return [whole].flat().flatMap(framed).filter(isRecord);
  const objects = /^(?:data|event|id|retry)?:/.test(body) ? ssePayloads(body) : body.split(/\r?\n/).flatMap(objectsOn);
  return objects.filter(isRecord);
}

export const isHtml = (text: string): boolean => /^\s*<(?:!doctype|html|head|body|\?xml)/i.test(text);

/** A list may hold frames as texts. */
const framed = (entry: unknown): unknown => (typeof entry === 'string' ? objectsIn(entry) : entry);

/** What a line holds; one that begins an object it doesn't end is of no use. */
const objectsOn = (line: string): unknown => parseJson(line) ?? (/^[\s\x1e]*\{/.test(line) ? objectsIn(line) : []);

/** The objects that follow one another in a text, without what stands between them or has no end. */
function objectsIn(text: string): unknown[] {
  const objects: unknown[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/"[^"\\\n]*(?:\\.[^"\\\n]*)*"|[{}]/g)) {
    if (token === '{' && depth++ === 0) start = index;
    if (token === '}' && depth > 0 && --depth === 0) objects.push(parseJson(text.slice(start, index + 1)));
  }
  return objects;
}

function ssePayloads(text: string): unknown[] {
  const { events, stray } = readSse(text);
  // Some upstreams print JSON over several lines, with `data:` before the first one only.
  if (events.some(({ data }) => data.trim() === '{')) return objectsIn(text);
  return [...events.map(({ data }) => data), stray].map(parseJson);
}
