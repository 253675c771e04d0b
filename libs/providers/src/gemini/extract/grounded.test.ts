import { describe, expect, it } from '@jest/globals';
import { placesOf } from './grounded.js';

describe('a place in bytes of UTF-8', () => {
  const texts = ['plain', 'Köln für 3 €', 'مرحبا بالعالم', '日本語の文章', 'e\u0301 नमस्ते', '👩‍👩‍👧 family 🇩🇪', ''];

  it.each(texts)('is the same place in the text, in any script: %j', (text) => {
    const placeOf = placesOf(text);
    let bytes = 0;
    for (let place = 0; place < text.length;) {
      const character = String.fromCodePoint(text.codePointAt(place)!);
      expect(placeOf(bytes)).toBe(place);
      bytes += Buffer.byteLength(character);
      place += character.length;
    }
    expect(placeOf(bytes)).toBe(text.length);
  });

  it('inside a character is its beginning; beyond the text it is the end, before it the start', () => {
    const placeOf = placesOf('a€b');
    expect([2, 3, 99, -1].map(placeOf)).toEqual([1, 1, 3, 0]);
  });
});
