import { describe, expect, it } from '@jest/globals';
import { applyPatch, PatchReader } from './patches.js';

const read = (...deltas: object[]) => {
  const reader = new PatchReader();
  return deltas.flatMap((delta) => reader.read({ ...delta }));
};
const TEXT = '/message/content/parts/0';

describe('a delta', () => {
  it('without place and verb has those of the one before', () => {
    expect(read({ p: TEXT, o: 'append', v: 'a' }, { v: 'b' }, { o: 'replace', v: 'c' })).toEqual([
      { p: TEXT, o: 'append', v: 'a' },
      { p: TEXT, o: 'append', v: 'b' },
      { p: TEXT, o: 'replace', v: 'c' },
    ]);
  });

  it('may be a batch, also one that only its entries’ places betray, and goes on as a batch', () => {
    const batch = [{ p: TEXT, o: 'append', v: 'a' }, { v: 'b' }, { p: '/message/status', o: 'replace', v: 'x' }];
    const operations = [batch[0], { p: TEXT, o: 'append', v: 'b' }, batch[2]];
    expect(read({ p: '', o: 'patch', v: batch })).toEqual(operations);
    expect(read({ p: TEXT, o: 'append', v: 'x' }, { v: operations })).toEqual([{ p: TEXT, o: 'append', v: 'x' }, ...operations]);
    expect(read({ p: '', o: 'patch', v: [] }, { v: batch })).toEqual(operations);
  });

  it('with a list of entries is no batch', () => {
    const references = [{ matched_text: 'x' }];
    expect(read({ p: '/message/metadata/content_references', o: 'append', v: references })).toEqual([
      { p: '/message/metadata/content_references', o: 'append', v: references },
    ]);
    expect(read({ p: '/safe_urls', o: 'append', v: ['https://a.example'] })).toHaveLength(1);
  });

  it('of words alone after a batch or a whole message is text', () => {
    expect(read({ p: '', o: 'patch', v: [{ p: '/x', o: 'add', v: 1 }] }, { v: 'words' })[1]).toEqual({ p: TEXT, o: 'append', v: 'words' });
    expect(read({ p: '', o: 'add', v: { message: {} } }, { v: 'words' })[1]).toEqual({ p: TEXT, o: 'append', v: 'words' });
  });
});

describe('an operation', () => {
  it.each<[string, string, unknown, unknown, unknown]>([
    ['append', '/a', 'b', { a: 'a' }, { a: 'ab' }],
    ['append', '/a', [2], { a: [1] }, { a: [1, 2] }],
    ['append', '/a', 2, { a: [1] }, { a: [1, 2] }],
    ['append', '/a', { c: 1 }, { a: { b: 1 } }, { a: { b: 1, c: 1 } }],
    ['append', '/a/b/0', 'x', {}, { a: { b: ['x'] } }],
    ['add', '/a/-', 3, { a: [1] }, { a: [1, 3] }],
    ['replace', '/a/0/b', 2, { a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
    ['replace', '/a~1b/c~0d', 2, {}, { 'a/b': { 'c~d': 2 } }],
    ['remove', '/a/0', undefined, { a: [1, 2] }, { a: [2] }],
    ['remove', '/a', undefined, { a: 1, b: 2 }, { b: 2 }],
    ['truncate', '/a', 2, { a: 'abc' }, { a: 'ab' }],
    ['replace', '', 'new', 'old', 'new'],
  ])('%s %s', (o, p, v, before, after) => {
    expect(applyPatch(before, { p, o, v })).toEqual(after);
  });

  it.each<[string, string, unknown]>([
    ['invert', '/a', 1],
    ['add', '/a/4000000000', 1],
    ['add', '/a/x', 1],
    ['add', '/__proto__/polluted', 1],
    ['add', '/constructor/prototype/polluted', 1],
    ['truncate', '/a', 'x'],
  ])('that makes no sense harms nothing: %s %s', (o, p, v) => {
    const value = applyPatch({ a: [1] }, { p, o, v }) as { a: unknown };
    expect(value.a).toEqual([1]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
