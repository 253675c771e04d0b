import { describe, expect, it } from '@jest/globals';
import { first, parseHtml } from './html.js';
import { markdownOfHtml, plainTextOfHtml } from './html-text.js';

const rendering = { leaveOut: ({ name }: { name: string }) => name === 'button', targetOf: (href: string) => (href.startsWith('http') ? href : undefined) };
const both = (html: string) => {
  const root = first(parseHtml(`<main>${html}</main>`), 'main')!;
  return [plainTextOfHtml(root, rendering), markdownOfHtml(root, rendering)];
};

describe('a text inside a page', () => {
  it.each([
    ['paragraphs', '<div>One <b>two</b>.</div><p>Three<br>four</p>', 'One two.\n\nThree\n\nfour', 'One **two**.\n\nThree\n\nfour'],
    ['text between blocks', 'Before<div>in</div>after', 'Before\n\nin\n\nafter', 'Before\n\nin\n\nafter'],
    ['headings', '<h2>Head</h2><div role="heading" aria-level="3"><strong>Sub</strong></div>', 'Head\n\nSub', '## Head\n\n### Sub'],
    [
      'lists',
      '<ul><li>one</li><div><li>two<ul><li>deep</li></ul></li></div></ul><ol start="3"><li>c</li></ol>',
      'one\ntwo\ndeep\n\n3. c',
      '- one\n- two\n  - deep\n\n3. c',
    ],
    ['tables', '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td></td></tr></table>', 'A\tB\n1\t', '| A | B |\n| --- | --- |\n| 1 |  |'],
    ['links', '<a href="https://a.example/">out</a> and <a href="/search">in</a>', 'out and in', '[out](https://a.example/) and in'],
    ['code', '<code>a_b</code><pre>x *\n  y</pre>', 'a_b\n\nx *\n  y', '`a_b`\n\n```\nx *\n  y\n```'],
    ['marks of Markdown in the words', '2*3*4 [x] _y_', '2*3*4 [x] _y_', '2\\*3\\*4 \\[x\\] \\_y\\_'],
    ['what is hidden or left out', '<div>a<span style="display:none">b</span><button>c</button><script>d</script></div>', 'a', 'a'],
  ])('%s', (_what, html, text, markdown) => expect(both(html)).toEqual([text, markdown]));
});
