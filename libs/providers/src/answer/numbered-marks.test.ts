import { describe, expect, it } from '@jest/globals';
import type { Page } from '../formats/web-answer.js';
import { linkNumberedMarks } from './numbered-marks.js';

const page = (url: string): Page => ({ url, title: `Page ${url}` });
const pages = ['https://a.example/x', 'https://b.example/y_(z)', 'no address', 'https://www.a.example/w', 'https://a.example/x/?utm_source=s'].map(page);
const link = (...texts: string[]) => linkNumberedMarks(texts, pages);

describe('a numbered mark', () => {
  it('becomes a link with its source’s number, counted in the order of citation through all parts', () => {
    const { parts } = link('Two[2], one [1].', 'One again[[1]], twice[5].');
    expect(parts.map(({ text }) => text)).toEqual([
      'Two[1](<https://b.example/y_(z)>), one [2](https://a.example/x).',
      'One again[2](https://a.example/x), twice[2](https://a.example/x).',
    ]);
    expect(parts.map(({ words }) => words)).toEqual(['Two, one.', 'One again, twice.']);
  });

  it('stands where its citation says', () => {
    const [part] = link('One[1] and two[2](https://b.example/y).').parts;
    expect(part!.citations.map(({ start, end }) => part!.text.slice(start, end))).toEqual(['[1](https://a.example/x)', '[2](<https://b.example/y_(z)>)']);
  });

  it('goes when it names no page, and is counted', () => {
    const { parts, unresolved } = link('Nine[9], three[3], one[1].');
    expect([unresolved, parts[0]!.words, parts[0]!.text]).toEqual([2, 'Nine, three, one.', 'Nine, three, one[1](https://a.example/x).']);
  });

  it.each(['`list[1]`', '```\nlist[1]\n', 'x[0]', 'in [2024]', '[1]: https://a.example', '[word](https://a.example)'])('is not in %j', (text) => {
    expect(link(text)).toMatchObject({ parts: [{ text, citations: [] }], unresolved: 0 });
  });
});
