import { describe, expect, it } from '@jest/globals';
import type { AnswerPart, WebAnswer, WebSearch } from '../formats/web-answer.js';
import { markdownOf, pagesOf, pillsOf, plainTextOf, unresolvedMarks } from './cited-pages.js';

const cite = (url: string, title?: string, start = 0, end = 0) => ({ url, title, start, end });
const answer = (parts: AnswerPart[], found: string[] = []): WebAnswer => ({
  id: undefined,
  model: undefined,
  country: undefined,
  complete: true,
  endedBy: undefined,
  failure: undefined,
  parts,
  searches: [{ queries: [], pages: found.map((url) => ({ url, title: undefined })), feeds: [] } satisfies WebSearch],
});

describe('the pages behind an answer', () => {
  const given = answer(
    [
      { text: 'x', citations: [cite('https://b.example/?utm_source=openai', 'B'), cite('https://www.a.example/x')] },
      { text: 'y', citations: [cite('https://b.example', 'B again'), cite('not an address'), cite('javascript:x')] },
    ],
    ['https://c.example', 'https://A.example/x', 'https://www.a.example/x/', 'https://c.example/#:~:text=x'],
  );

  it('are numbered from 1, each once, cited ones first, in a clean form, labelled by title or site', () => {
    expect(pagesOf(given)).toEqual([
      { position: 1, url: 'https://b.example/', label: 'B', cited: true },
      { position: 2, url: 'https://www.a.example/x', label: 'a.example', cited: true },
      { position: 3, url: 'https://c.example', label: 'c.example', cited: false },
      { position: 4, url: 'https://A.example/x', label: 'a.example', cited: false },
    ]);
  });

  it('have a pill for each citation, with the position of its page', () => {
    expect(pillsOf(given, pagesOf(given)).map(({ citationPillId, position, label }) => [citationPillId, position, label])).toEqual([
      [1, 1, 'B'],
      [2, 2, 'a.example'],
      [3, 1, 'B again'],
    ]);
  });
});

it('a number is no title', () => {
  expect(pagesOf(answer([{ text: 'x', citations: [cite('https://a.example', '1')] }]))[0]!.label).toBe('a.example');
});

it('an address cited in one part is a mark in all', () => {
  const parts = [
    { text: 'So. [A](https://a.example)', citations: [cite('https://a.example', 'A')] },
    { text: 'Too. [A](https://a.example)', citations: [] },
  ];
  expect(plainTextOf(answer(parts))).toBe('So.\n\nToo.');
});

it('a link to a cited page keeps its words when they are those of no mark', () => {
  const text = 'So. ([a.example](https://a.example)) More at [A](https://a.example/). And [B](https://b.example).';
  const marked = { ...cite('https://a.example', 'A', 4, 36), label: 'a.example' };
  expect(plainTextOf(answer([{ text, citations: [marked, cite('https://b.example', 'B')] }]))).toBe('So. More at A. And.');
});

it('the words that hold the upstream’s own marks are taken for the text, links and all', () => {
  const words = 'So. \uE200cite\uE202turn0search0\uE201 See [A](https://a.example).';
  expect(plainTextOf(answer([{ text: 'x', words, citations: [cite('https://a.example', 'A')] }]))).toBe('So. See A.');
});

it('what is told about a page is kept, whoever tells it first', () => {
  const told = answer([{ text: 'x', citations: [cite('https://a.example', 'A')] }]);
  told.searches[0]!.pages = [
    { url: 'https://a.example', title: 'Other', description: 'About A', date: '2026-01-01T00:00:00.000Z' },
    { url: 'https://b.example', title: 'B', cited: true },
  ];
  expect(pagesOf(told)).toEqual([
    { position: 1, url: 'https://a.example', label: 'A', cited: true, description: 'About A', date: '2026-01-01T00:00:00.000Z' },
    { position: 2, url: 'https://b.example', label: 'B', cited: true },
  ]);
});

describe('a mark that is no link', () => {
  const marked = answer([
    { text: 'First.', citations: [cite('https://b.example', 'B')] },
    { text: 'So【1†a】 it 【2†b】.', citations: [cite('https://a.example/x(y', 'A', 2, 7)] },
  ]);

  it('is unresolved where no citation covers it', () => expect(unresolvedMarks(marked)).toBe(1));

  it('is a link with its source’s number in the Markdown, or goes', () => {
    expect(markdownOf(marked)).toBe('First.\n\nSo[2](<https://a.example/x(y>) it.');
  });
});

it('a numbered link behind an exclamation mark is a mark, no picture', () => {
  const given = answer([{ text: 'So![[1]](https://a.example) And![1](https://b.example)', citations: [cite('https://a.example'), cite('https://b.example')] }]);
  expect([plainTextOf(given), markdownOf(given)]).toEqual(['So! And!', 'So! [[1]](https://a.example) And! [1](https://b.example)']);
});

it('marks of one page in several spellings lead to its source as that is written', () => {
  const spellings = ['https://a.example/%E3%81%82', 'https://a.example/あ', 'https://a.example:443/%e3%81%82/?utm_source=x'];
  const text = 'So.' + spellings.map((_url, index) => `【${index + 1}†source】`).join('');
  const citations = spellings.map((url, index) => cite(url, undefined, 3 + index * 10, 13 + index * 10));
  const given = answer([{ text, citations }]);
  expect(pagesOf(given).map(({ url }) => url)).toEqual([spellings[0]]);
  expect(markdownOf(given)).toBe('So.' + `[1](${spellings[0]})`.repeat(3));
});
