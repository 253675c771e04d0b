import { describe, expect, it } from '@jest/globals';
import type { JsonRecord } from './json.js';
import { piecesOf, readPayloads } from './payloads.js';

async function payloadsIn(text: string, pieces: Iterable<string> = piecesOf(text)): Promise<JsonRecord[]> {
  const payloads: JsonRecord[] = [];
  for await (const payload of readPayloads(pieces)) payloads.push(payload);
  return payloads;
}

const A = { type: 'a' };
const B = { type: 'b', text: 'two\nlines' };

describe('the payloads of an answer', () => {
  it.each([
    ['one JSON text', JSON.stringify(A, null, 2), [A]],
    ['a JSON list', JSON.stringify([A, B]), [A, B]],
    ['a JSON list over several lines', JSON.stringify([A, B], null, 1), [A, B]],
    ['server-sent events', `event: a\ndata: ${JSON.stringify(A)}\n\ndata: ${JSON.stringify(B)}\n\ndata: [DONE]\n\n`, [A, B]],
    ['JSON Lines', `${JSON.stringify(A)}\n${JSON.stringify(B)}\n`, [A, B]],
    ['a stream with a byte order mark', `\uFEFFdata: ${JSON.stringify(A)}\n\n`, [A]],
    ['events, then a bare error', `data: ${JSON.stringify(A)}\n\n{\n"error": {"code": 499}\n}\n`, [A, { error: { code: 499 } }]],
    ['events in several lines each', `data: ${JSON.stringify(A, null, 1)}\nid: 1\n\ndata: ${JSON.stringify(B, null, 1)}\nid: 2\n\n`, [A, B]],
    ['events of which one is alone in several lines', `data: ${JSON.stringify(A)}\n\ndata: ${JSON.stringify(B, null, 1)}\n\n`, [A, B]],
    ['events with data over several lines', `data: {"type":\ndata: "a"}\n\n`, [A]],
    ['events without data', `event: ping\n\n: keep-alive\n\ndata: ${JSON.stringify(A)}\n\n`, [A]],
    ['events after a comment, without a blank after the colon', `: back again\n\ndata:${JSON.stringify(A)}\n\ndata:${JSON.stringify(B)}\n\n`, [A, B]],
    ['events whose lines end in CR', `event: a\rdata: ${JSON.stringify(A)}\r\rdata: ${JSON.stringify(B)}\r\r`, [A, B]],
    ['events that lack the last blank line', `data: ${JSON.stringify(A)}\n\ndata: ${JSON.stringify(B)}`, [A, B]],
    ['events that broke off', `data: ${JSON.stringify(A)}\n\ndata: {"type":"b","te`, [A]],
    ['frames of several objects', `${JSON.stringify(A)}${JSON.stringify(B)}\n${JSON.stringify(B)} \x1e${JSON.stringify(A)}\x1e\n`, [A, B, B, A]],
    ['a list of frames', JSON.stringify([JSON.stringify(A) + JSON.stringify(B), JSON.stringify({ text: '}{"' })]), [A, B, { text: '}{"' }]],
    ['frames that broke off', `${JSON.stringify(A)}{"type":"b","te`, [A]],
    ['lines that broke off', `${JSON.stringify(A)}\n{"type":"b","te`, [A]],
    ['JSON that broke off', '{"type":"a","out', []],
    ['nothing', '', []],
  ])('are read from %s, whole or as it arrives, whatever ends its lines', async (_form, text, payloads) => {
    for (const end of ['\n', '\r\n']) {
      const sent = text.replaceAll('\n', end);
      expect(await payloadsIn(sent)).toEqual(payloads);
      expect(await payloadsIn(sent, sent)).toEqual(payloads);
    }
  });

  it.each(['<!DOCTYPE html><title>Just a moment...</title>', '\n<html lang="en">', '<?xml version="1.0"?><Error/>'])(
    'are never read from a page: %j is blocked',
    async (page) => {
      await expect(payloadsIn(page)).rejects.toMatchObject({ reason: 'blocked' });
      await expect(payloadsIn(page, page)).rejects.toMatchObject({ reason: 'blocked' });
    },
  );

  it('are given as soon as they are complete', async () => {
    const events = readPayloads(['data: {"n":1}\n\ndata: {"n"', ':2}\n\n'])[Symbol.asyncIterator]();
    const lines = readPayloads(['{"n":1}\n{"n"', ':2}\n'])[Symbol.asyncIterator]();
    for (const payloads of [events, lines]) for (const n of [1, 2]) expect(await payloads.next()).toEqual({ done: false, value: { n } });
  });
});
