import { describe, expect, it } from '@jest/globals';
import { readPayloads } from './payloads.js';

const A = { type: 'a' };
const B = { type: 'b', text: 'two\nlines' };

describe('the payloads of an answer', () => {
  it.each([
    ['one JSON text', JSON.stringify(A, null, 2), [A]],
    ['a JSON list', JSON.stringify([A, B]), [A, B]],
    ['server-sent events', `event: a\ndata: ${JSON.stringify(A)}\n\ndata: ${JSON.stringify(B)}\n\ndata: [DONE]\n\n`, [A, B]],
    ['JSON Lines', `${JSON.stringify(A)}\n${JSON.stringify(B)}\n`, [A, B]],
    ['a stream with a byte order mark', `\uFEFFdata: ${JSON.stringify(A)}\n\n`, [A]],
    ['events, then a bare error', `data: ${JSON.stringify(A)}\n\n{\n"error": {"code": 499}\n}\n`, [A, { error: { code: 499 } }]],
    ['events in several lines each', `data: ${JSON.stringify(A, null, 1)}\nid: 1\n\ndata: ${JSON.stringify(B, null, 1)}\nid: 2\n\n`, [A, B]],
    ['events that broke off', `data: ${JSON.stringify(A)}\n\ndata: {"type":"b","te`, [A]],
    ['frames of several objects', `${JSON.stringify(A)}${JSON.stringify(B)}\n${JSON.stringify(B)} \x1e${JSON.stringify(A)}\x1e\n`, [A, B, B, A]],
    ['a list of frames', JSON.stringify([JSON.stringify(A) + JSON.stringify(B), JSON.stringify({ text: '}{"' })]), [A, B, { text: '}{"' }]],
    ['frames that broke off', `${JSON.stringify(A)}{"type":"b","te`, [A]],
    ['lines that broke off', `${JSON.stringify(A)}\n{"type":"b","te`, [A]],
    ['JSON that broke off', '{"type":"a","out', []],
    ['nothing', '', []],
  ])('are read from %s', (_form, text, payloads) => {
    expect(readPayloads(text)).toEqual(payloads);
  });

  it.each(['<!DOCTYPE html><title>Just a moment...</title>', '\n<html lang="en">', '<?xml version="1.0"?><Error/>'])(
    'are never read from a page: %j is blocked',
    (page) => {
      expect(() => readPayloads(page)).toThrow(expect.objectContaining({ reason: 'blocked' }));
    },
  );
});
