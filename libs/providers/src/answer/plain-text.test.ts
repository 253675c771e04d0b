import { describe, expect, it } from '@jest/globals';
import { plainText } from './plain-text.js';

const A = 'https://a.example/x';
const B = 'https://b.example/y?z=1';
const cited = { addresses: [`${A}?utm_source=openai`, B] };

describe('plain text has no Markdown marks', () => {
  it.each([
    ['## Head\n\nSome **bold**, *slanted*, ~~old~~ and `code`.', 'Head\n\nSome bold, slanted, old and code.'],
    ['- one\n- two\n  - deep\n\n1. first\n2. second', 'one\ntwo\ndeep\n\n1. first\n2. second'],
    ['3. third\n4. fourth', '3. third\n4. fourth'],
    ['| a | b |\n|---|:--|\n| 1 | **2** |', 'a\tb\n1\t2'],
    ['```js\nconst a = [1]; // **no**\n```', 'const a = [1]; // **no**'],
    ['> quoted\n> twice', 'quoted\ntwice'],
    ['Above\n\n---\n\nBelow', 'Above\n\nBelow'],
    ['[label](https://c.example) and <https://d.example> and https://e.example', 'label and https://d.example and https://e.example'],
    ['![a picture](https://c.example/p.png)', 'a picture'],
    ['a\\*b &amp; c', 'a*b & c'],
    ['one<br>two <sup>3</sup> if a<b and c>d, List<Item>', 'one\ntwo 3 if a<b and c>d, List<Item>'],
    ['    indented prose, [label](https://c.example)', 'indented prose, label'],
    ['from ~5 to ~10 and 2**3', 'from ~5 to ~10 and 2**3'],
    ['**Note:**that **「言葉」**は', 'Note:that 「言葉」は'],
    ['**a?**b**c.**d and `**x.**` [**a?**b](https://c.example)', 'a?bc.d and **x.** a?b'],
    ['- [x] done', 'done'],
    ['', ''],
  ])('%j', (markdown, text) => {
    expect(plainText(markdown)).toBe(text);
  });
});

describe('plain text has no citation marks', () => {
  it.each([
    [`It is so. ([a.example](${A}))`, 'It is so.'],
    [`It is so ([a.example](${A}?utm_source=openai)), and that ([b](${B})).`, 'It is so, and that.'],
    [`It is so. ([a](${A}), [b](${B})) More.`, 'It is so. More.'],
    [`It is so. ([a](${A})) ([b](${B}))\n\nMore.`, 'It is so.\n\nMore.'],
    [`It is so。（[a](${A})）`, 'It is so。'],
    [`It is so. [The A](${A})\n\nMore.`, 'It is so.\n\nMore.'],
    [`**It is so ([a](${A}))** and *([b](${B}))*`, 'It is so and'],
    [`[A](${A}) says so.`, 'says so.'],
    [`So it is:\n- [A](${A})\n- [B](${B})`, 'So it is:'],
    [`So it is:\n1. [A](${A})\n2. word [B](${B})`, 'So it is:\n\n2. word'],
    [`A bare ${A} is text, [other](https://c.example) too.`, `A bare ${A} is text, other too.`],
    [`\`([a](${A}))\` is code`, `([a](${A})) is code`],
    ['So【1†source】 it is【12:0†a.pdf】, 【注意】 stays.', 'So it is, 【注意】 stays.'],
    ['So it is \uE200cite\uE202turn0search1\uE202turn0news_2_\uE201.', 'So it is.'],
    ['So it is[[1]](https://c.example)[[2]](https://d.example).', 'So it is.'],
  ])('%j', (markdown, text) => {
    expect(plainText(markdown, cited)).toBe(text);
  });

  it.each([
    ['So it is[1][2].', 'So it is.'],
    ['So it is [1, 2] and [^3^] and [[2]].', 'So it is and and.'],
    ['So it is [1].\n\n[1]: https://c.example', 'So it is.'],
    ['See `list[1]` and [9] and [a].', 'See list[1] and [9] and [a].'],
  ])('numbers are marks where the upstream numbers its sources: %j', (markdown, text) => {
    expect(plainText(markdown, { isNumber: (number) => number <= 3 })).toBe(text);
  });

  it('numbers are words elsewhere', () => {
    expect(plainText('Eigenvalues [1] of [2, 3]')).toBe('Eigenvalues [1] of [2, 3]');
  });

  it('an address with blanks or odd parentheses is recognised all the same', () => {
    const odd = 'https://a.example/My File (1.pdf';
    expect(plainText(`It is so. ([a](${odd}))`, { addresses: [odd] })).toBe('It is so.');
  });
});
