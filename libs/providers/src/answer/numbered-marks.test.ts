import { describe, expect, it } from '@jest/globals';
import type { Page, WebAnswer } from '../formats/web-answer.js';
import { dice, pick, type Roll } from '../steering/content.js';
import { addressKey } from './addresses.js';
import { citationsOf, markdownOf, pagesOf, pillsOf, plainTextOf } from './cited-pages.js';
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

const SCRIPTS = ['kettle boils', 'чайник кипит', 'ケトルが沸く', 'الغلاية تغلي', 'केतली उबलती', 'é combining', '👩‍🔬 🇩🇪 emoji', 'קומקום רותח'];
const FORMS = [
  (words: string) => words,
  (words: string) => `**${words}**`,
  (words: string) => `- ${words}`,
  (words: string) => `## ${words}`,
  (words: string) => `\`${words}[3]\``,
];

function randomAnswer(roll: Roll): { text: string; words: string; pages: Page[] } {
  const sources = Array.from({ length: roll(8) + 1 }, (_, index) => page(`https://site${roll(5)}.example/${index % 3}`));
  const sentences = Array.from({ length: roll(12) + 1 }, () => {
    const form = roll(FORMS.length);
    const words = pick(SCRIPTS, 2, roll).join(' ');
    const marks = Array.from({ length: roll(4) }, () => `[${roll(sources.length + 2) + 1}]`).join(roll(2) ? '' : ' ');
    return { plain: form === 4 ? `${words}[3]` : words, written: FORMS[form]!(words) + marks };
  });
  return { text: sentences.map(({ written }) => written).join('\n\n'), words: sentences.map(({ plain }) => plain).join(' '), pages: sources };
}

it('in answers of any script resolves, in text and pills alike, and leaves no trace in the words', () => {
  const roll = dice('numbered marks');
  for (let round = 0; round < 300; round++) {
    const { text, words, pages: found } = randomAnswer(roll);
    const { parts } = linkNumberedMarks([text], found);
    const answer: WebAnswer = {
      id: undefined,
      model: undefined,
      parts,
      searches: [{ queries: [], pages: found, feeds: [] }],
      country: undefined,
      events: [],
      complete: true,
      endedBy: undefined,
      failure: undefined,
    };
    const sources = pagesOf(answer);
    const pills = pillsOf(answer, sources);
    expect(plainTextOf(answer).replace(/\s+/g, ' ')).toBe(words);
    expect(new Set(sources.map(({ url }) => addressKey(url))).size).toBe(sources.length);
    expect(pills.map(({ url }) => url)).toEqual(pills.map(({ position }) => sources[position - 1]!.url));
    const firsts = [...new Set(pills.map(({ position }) => position))];
    expect(firsts).toEqual(firsts.map((_, index) => index + 1));
    const linked = [...markdownOf(answer).matchAll(/\[(\d+)\]\(([^)]+)\)/g)].map(([, number, url]) => [Number(number), url]);
    expect(linked).toEqual(pills.map(({ position, url }) => [position, url]));
    expect(citationsOf(answer)).toHaveLength(pills.length);
  }
});
