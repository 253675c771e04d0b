import MarkdownParser, { type MarkdownIt } from 'markdown-it';

/**
 * A parser of Markdown as language models write it. They indent freely and use angle brackets in prose, so indented
 * code and raw HTML are no constructs. `isLink` says which addresses links may lead to.
 */
export function markdownParser(isLink: (address: string) => boolean): MarkdownIt {
  const parser = new MarkdownParser({ html: false }).disable('code');
  parser.validateLink = isLink;
  return parser;
}
