import { describe, expect, it } from '@jest/globals';
import { readSse } from './sse.js';

const dataOf = (text: string) => readSse(text).events.map(({ data }) => data);

describe('a stream of server-sent events', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('is read whatever ends its lines: %s', (_name, end) => {
    const text = ['event: first', 'data: {"a":1}', '', ': a comment', 'id: 7', 'data: two', 'data: lines', '', ''].join(end);
    expect(readSse(text).events).toEqual([
      { event: 'first', data: '{"a":1}' },
      { event: undefined, data: 'two\nlines' },
    ]);
  });

  it('keeps blanks inside data and takes the one after the colon away, if there is one', () => {
    expect(dataOf('data:  a \n\ndata:b\n\n')).toEqual([' a ', 'b']);
  });

  it('may lack the blank line at its end, and gives what had arrived of a broken last event', () => {
    expect(dataOf('data: one\n\ndata: two')).toEqual(['one', 'two']);
    expect(dataOf('data: {"a":1}\n\ndata: {"a"')).toEqual(['{"a":1}', '{"a"']);
  });

  it('gives events without data none', () => {
    expect(dataOf('event: ping\n\n: keep-alive\n\ndata: x\n\n')).toEqual(['x']);
  });

  it('tells lines apart that belong to no field', () => {
    expect(JSON.parse(readSse('data: {"a":1}\n\n{\n  "error": {\n    "code": 499\n  }\n}\n').stray)).toEqual({ error: { code: 499 } });
  });
});
