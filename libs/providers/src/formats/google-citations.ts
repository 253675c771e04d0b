import { isComment, type AnyNode, type Element } from './html.js';
import { listOf, parseJson, textOf } from './json.js';

/** A page that a citation mark leads to, as Google's notes beside the answer tell it. */
export interface NotedPage {
  /** The mark's id. */
  mark: string;
  url: string;
  title: string | undefined;
  snippet: string | undefined;
}

/**
 * The notes that stand in comments: `<!--Sv6Kpe[["<mark>",["title","snippet","icon","site",["publisher"],"url",…]]]-->`,
 * in short `[["<mark>","<source>",0,"url",…]]`, since 2026 under one of two names and with quotes escaped as in HTML.
 */
export function notedPages(within: Element): NotedPage[] {
  const pages: NotedPage[] = [];
  const visit = (node: AnyNode): void => {
    if (isComment(node) && COMMENT.test(node.data)) pages.push(...readNote(parseJson(unescaped(node.data.replace(COMMENT, '')))));
    if ('children' in node) node.children.forEach(visit);
  };
  visit(within);
  return pages;
}

const COMMENT = /^(?:TgQPHd|Sv6Kpe)\|*/;
const MARK = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

function readNote(json: unknown): NotedPage[] {
  const [mark, ...fields] = listOf(listOf(json)[0]);
  if (typeof mark !== 'string' || !MARK.test(mark)) return [];
  const page = listOf(fields[0]);
  const url = (page.length ? page.slice(4) : fields).find(isAddress);
  return url ? [{ mark, url, title: textOf(page[0]), snippet: textOf(page[1]) }] : [];
}

const isAddress = (value: unknown): value is string => typeof value === 'string' && /^https?:\/\//.test(value);

const CHARACTERS: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>', '#39': "'" };

/** A comment's text is never decoded by a parser. */
const unescaped = (text: string): string => text.replace(/&(quot|amp|lt|gt|#39);/g, (_all, name: string) => CHARACTERS[name]!);

/**
 * Which of an answer's sources a mark cites, on pages of 2025: a script gives each mark the numbers of what it cites, and
 * once the numbers of all sources in the order of their cards.
 */
export function scriptedSource(mark: string, scripts: string): number | undefined {
  const cited = new RegExp(`"${mark}",\\[(\\d+)`).exec(scripts)?.[1];
  if (!cited) return undefined;
  const lists = [...scripts.matchAll(/\[\[(\d+(?:,\d+)*)\],\[\]\]/g)].map(([, numbers]) => numbers!.split(','));
  const index = lists.find((numbers) => numbers.includes(cited))?.indexOf(cited);
  return index;
}
