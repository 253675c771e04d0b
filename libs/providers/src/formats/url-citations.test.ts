import { expect, it } from '@jest/globals';
import { citationsOf } from './url-citations.js';

const A = 'https://a.example/x';
const annotation = (start_index: number, end_index: number, url = A) => ({ type: 'url_citation', start_index, end_index, url, title: 'A' });

it.each([
  ['of a link in parentheses', `So. ([a.example](${A}))`, 'a.example'],
  ['of a bare link', `So. [The A](${A})`, 'The A'],
  ['of the one link among several that leads there', `So. ([b.example](https://b.example), [a.example](${A}))`, 'a.example'],
  ['missing where the place holds no link', 'So it is said everywhere.', undefined],
  ['missing where the link leads elsewhere', 'So. ([b.example](https://b.example))', undefined],
  ['missing where they are marked up', `So. [**A**](${A})`, undefined],
])('a citation’s label is the words %s', (_what, text, label) => {
  expect(citationsOf([annotation(4, text.length)], text)[0]?.label).toBe(label);
});
