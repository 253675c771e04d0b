import { UpstreamFailure } from '@overheard/contracts';
import { isRecord, parseJson, type JsonRecord } from './json.js';
import { readSse } from './sse.js';

/**
 * The JSON objects of an upstream's answer in order, whether it came as one JSON text, as server-sent events, or as
 * JSON Lines of their payloads. Text that broke off gives what had arrived; a page in place of an answer is `blocked`.
 */
export function readPayloads(text: string): JsonRecord[] {
  const body = text.trim();
  if (isHtml(body)) throw new UpstreamFailure('blocked', 'A web page came in place of an answer');
  const whole = parseJson(body);
  if (whole !== undefined) return [whole].flat().filter(isRecord);
  return (/^(?:data|event|id|retry)?:/.test(body) ? ssePayloads(body) : body.split(/\r?\n/)).map(parseJson).filter(isRecord);
}

export const isHtml = (text: string): boolean => /^\s*<(?:!doctype|html|head|body|\?xml)/i.test(text);

function ssePayloads(text: string): string[] {
  const { events, stray } = readSse(text);
  return [...events.map(({ data }) => data), stray];
}
