import type { Token } from 'markdown-it';
import { addressKey } from './addresses.js';
import { MARK, standInForMarks, withoutMarks, withoutPictures, withoutPrivateMarks } from './citation-marks.js';
import { markdownParser } from './markdown.js';

/** What in a text is a citation mark, besides what can be nothing else. */
interface CitationMarks {
  /** Cited addresses: a written link to one of them is a mark, `([site](address))`. */
  addresses?: string[];
  /** By `addressKey`, the words that links have which are marks; of an address that is not here any words. */
  labels?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether `[n]` is a mark. */
  isNumber?: (number: number) => boolean;
}

/** An answer's words without Markdown and citation marks (decision S14). Words of tables and code stay. */
export function plainText(markdown: string, { addresses = [], labels = new Map(), isNumber = () => false }: CitationMarks = {}): string {
  const source = parseable(withoutPictures(withoutPrivateMarks(markdown)), addresses);
  const cited = new Set(addresses.map(addressKey));
  const root = { type: 'root', children: nested(parser.parse(source, {})) };
  const isCitation = (key: string, label: string) => cited.has(key) && (labels.get(key)?.has(label) ?? true);
  const text = textOf(root, { isCitation: (address, label) => isCitation(addressKey(address), label), isNumber });
  return withoutMarks(text).replaceAll(CODE_ASTERISK, '*').trim();
}

interface Marks {
  isCitation: (address: string, label: string) => boolean;
  isNumber: (number: number) => boolean;
}

interface Node {
  type: string;
  token?: Token;
  children: Node[];
}

const parser = markdownParser(() => true);

/** An address with blanks or odd parentheses ends its link too early, unless angle brackets hold it. */
const parseable = (markdown: string, addresses: string[]): string =>
  addresses.filter((address) => /[ ()]/.test(address)).reduce((text, address) => text.replaceAll(`](${address})`, `](<${address}>)`), markdown);

/** The tree of a parser's flat list of opening, closing and single tokens. */
function nested(tokens: Token[]): Node[] {
  const open: Node[][] = [[]];
  for (const token of tokens) {
    if (token.nesting < 0) open.pop();
    else {
      const node = { type: token.type, token, children: nested(token.children ?? []) };
      open.at(-1)!.push(node);
      if (token.nesting > 0) open.push(node.children);
    }
  }
  return open[0]!;
}

/** What stands between the texts of a node's children; nothing between words. */
const SEPARATORS: Record<string, string> = {
  root: '\n\n',
  blockquote_open: '\n\n',
  bullet_list_open: '\n',
  ordered_list_open: '\n',
  list_item_open: '\n',
  table_open: '\n',
  thead_open: '\n',
  tbody_open: '\n',
  tr_open: '\t',
};

function textOf(node: Node, marks: Marks): string {
  const content = node.token?.content ?? '';
  switch (node.type) {
    case 'text':
      return standInForMarks(withoutTags(content), marks.isNumber);
    case 'inline':
      return joined(node, marks).replace(UNSEEN_BOLD, '$1');
    case 'code_inline':
      return content.replaceAll('*', CODE_ASTERISK);
    case 'fence':
      return content.trimEnd();
    case 'softbreak':
    case 'hardbreak':
      return '\n';
    case 'link_open':
      return isMark(node, marks) ? MARK : joined(node, marks);
    case 'list_item_open':
      return numbered(node, joined(node, marks));
    default:
      return joined(node, marks);
  }
}

function joined({ type, children }: Node, marks: Marks): string {
  const texts = children.map((child) => textOf(child, marks));
  const separator = SEPARATORS[type] ?? '';
  // An empty cell keeps its column; any other empty text needs no separator.
  return (separator === '\t' ? texts : texts.filter(Boolean)).join(separator);
}

/** An ordered item with its number. An item of nothing but citations is one long mark. */
function numbered({ token }: Node, text: string): string {
  if (!text.replaceAll(MARK, '').trim()) return '';
  return token?.info ? `${token.info}. ${text}` : text.replace(/^\[[ xX]\] /, '');
}

/** `([site](address))` of a cited address, `[[1]](address)` and `[1](address)` of any. A bare address is text, even when it is cited. */
function isMark({ token, children }: Node, { isCitation }: Marks): boolean {
  const label = children.map((child) => child.token?.content ?? '').join('');
  return /^\[?\^?\d{1,3}\^?\]?$/.test(label) || (token?.markup !== 'autolink' && isCitation(String(token?.attrGet('href')), label));
}

const HTML_TAG =
  /<\/?(?:a|b|br|code|details|div|em|font|h[1-6]|hr|i|img|kbd|li|mark|ol|p|pre|s|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul)(?:\s+[\w-]+=(?:"[^"]*"|'[^']*'|[^\s>]+))*\s*\/?>/gi;
// Bold that CommonMark does not see, because punctuation stands inside its marks: **Note:**that, **「言葉」**は. What it sees instead may stand between.
const UNSEEN_BOLD = /\*\*([\p{P}\p{S}][^*\n]*|[^*\n]*[\p{P}\p{S}])\*\*/gu;
/** Stands for an asterisk of code, which marks nothing. */
const CODE_ASTERISK = '\uE20E';

const withoutTags = (text: string): string => text.replace(HTML_TAG, (tag) => (/^<br/i.test(tag) ? '\n' : ''));
