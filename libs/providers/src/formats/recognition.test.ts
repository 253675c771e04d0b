import { describe, expect, it } from '@jest/globals';
import type { JsonRecord } from './json.js';
import type { Payloads } from './payloads.js';
import { readAnswer, type Format } from './recognition.js';

/** A format whose answer is its name and what its reader was given. */
const format = (name: string): Format<[string, JsonRecord[]]> => ({
  name,
  recognises: (payload) => payload.is === name,
  async read(payloads: Payloads) {
    const given: JsonRecord[] = [];
    for await (const payload of payloads) given.push(payload);
    return [name, given];
  },
});
const formats = [format('first'), format('second')];
const lines = (...payloads: object[]) => payloads.map((payload) => `${JSON.stringify(payload)}\n`);

describe('an answer', () => {
  it('is read in the format that recognises one of its payloads, from the first one on', async () => {
    expect(await readAnswer(lines({ n: 1 }, { is: 'second' }, { n: 3 }), { formats })).toEqual(['second', [{ n: 1 }, { is: 'second' }, { n: 3 }]]);
  });

  it.each([[[]], [[{ n: 1 }]], [Array.from({ length: 300 }, (_, n) => ({ n }))]])('that no format recognises is read in the first: %j', async (payloads) => {
    expect(await readAnswer(lines(...payloads), { formats })).toEqual(['first', payloads]);
  });

  it('is read in the one format it can have, recognised or not', async () => {
    expect(await readAnswer(lines({ is: 'first' }), { formats: formats.slice(1) })).toEqual(['second', [{ is: 'first' }]]);
  });

  it('is read before it is complete', async () => {
    let given = 0;
    function* arriving() {
      for (const line of lines({ is: 'first' }, { n: 2 })) yield ((given += 1), line);
      throw new Error('the rest');
    }
    await expect(readAnswer(arriving(), { formats })).rejects.toThrow('the rest');
    expect(given).toBe(2);
  });

  it('gives its payloads as they came to whoever wants them', async () => {
    const kept: JsonRecord[] = [];
    await readAnswer(lines({ is: 'second' }, { n: 2 }), { formats, kept });
    expect(kept).toEqual([{ is: 'second' }, { n: 2 }]);
  });
});
