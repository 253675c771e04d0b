import { compile, is, selectAll, selectOne } from 'css-select';
import { isTag, isText, type AnyNode, type Document, type Element, type ParentNode } from 'domhandler';
import { getOuterHTML } from 'domutils';
import { parseDocument } from 'htmlparser2';

export { isComment, isTag, isText } from 'domhandler';
export type { AnyNode, Document, Element, ParentNode };

/** Parses a page, comments included: some upstreams keep data in them. */
export const parseHtml = (text: string): Document => parseDocument(text);

/** A part of a page as HTML. */
export const htmlOf = (element: Element): string => getOuterHTML(element);

/** The elements inside a node that a selector matches, in the order of the page. */
export const all = (within: ParentNode, selector: string): Element[] => selectAll<AnyNode, Element>(queryOf(selector), within.children);

/** The first of them. */
export const first = (within: ParentNode, selector: string): Element | undefined =>
  selectOne<AnyNode, Element>(queryOf(selector), within.children) ?? undefined;

/** Whether a selector matches this very element. */
export const matches = (element: Element, selector: string): boolean => is(element, queryOf(selector));

/** The nearest element, from this one upwards, that a selector matches. */
export function closest(node: AnyNode, selector: string): Element | undefined {
  for (const element of upwards(node)) if (matches(element, selector)) return element;
  return undefined;
}

/** An element and those around it, from the inside out. */
export function* upwards(node: AnyNode): Generator<Element> {
  for (let outer: AnyNode | null = node; outer; outer = outer.parent) if (isTag(outer)) yield outer;
}

/** Whether a node lies inside another, or is it. */
export function isWithin(node: AnyNode, outer: AnyNode): boolean {
  for (let inner: AnyNode | null = node; inner; inner = inner.parent) if (inner === outer) return true;
  return false;
}

/** Those elements that lie in no other one of them. */
export function outermost(elements: Element[]): Element[] {
  const among = new Set<AnyNode>(elements);
  return elements.filter((element) => {
    for (let outer = element.parent; outer; outer = outer.parent) if (among.has(outer)) return false;
    return true;
  });
}

/** For each element the largest part of the page around it that holds no other one of them, up to what `limit` selects. */
export function partsAround(elements: Element[], limit: string): Map<Element, Element> {
  const held = new Map<Element, number>();
  for (const element of elements) for (const outer of upwards(element)) held.set(outer, (held.get(outer) ?? 0) + 1);
  const partOf = (element: Element): Element => {
    let part = element;
    for (const outer of upwards(element)) {
      if (held.get(outer) !== 1 || matches(outer, limit)) break;
      part = outer;
    }
    return part;
  };
  return new Map(elements.map((element) => [element, partOf(element)]));
}

/** An attribute that says something. */
export const attribute = (element: Element | undefined, name: string): string | undefined => element?.attribs[name]?.trim() || undefined;

const queries = new Map<string, (node: AnyNode) => boolean>();

/** Compiling a selector costs more than asking it, and ours are few. */
function queryOf(selector: string): (node: AnyNode) => boolean {
  let query = queries.get(selector);
  if (!query) queries.set(selector, (query = compile<AnyNode, Element>(selector)));
  return query;
}

const UNREAD = new Set(['script', 'style', 'noscript', 'template', 'svg', 'textarea', 'select', 'head', 'object']);
const BLOCKS = new Set(
  (
    'address article aside blockquote br center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre ' +
    'section table tbody td tfoot th thead tr ul'
  ).split(' '),
);
const HIDING = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

/** Whether a browser shows nothing of an element, as far as its own attributes say. */
export const isHidden = ({ name, attribs: { hidden, style } }: Element): boolean =>
  UNREAD.has(name) || hidden !== undefined || (style !== undefined && HIDING.test(style));

/** Whether an element stands on lines of its own, or holds one that does. */
export const isBlock = (element: Element): boolean => BLOCKS.has(element.name) || holdsBlock(element);

const holdsBlock = ({ children }: Element): boolean => children.some((child) => isTag(child) && child.name !== 'br' && isBlock(child));

/** Whether a part of a page is left out of a text. */
export type LeaveOut = (element: Element) => boolean;

const NOTHING: LeaveOut = () => false;

/** What a person reads in an element: blanks folded, blocks apart, hidden parts gone. */
export function readText(element: Element | undefined, leaveOut = NOTHING): string {
  let text = '';
  const read = (node: AnyNode): void => {
    if (isText(node)) text += node.data;
    if (!isTag(node) || isHidden(node) || leaveOut(node)) return;
    const apart = BLOCKS.has(node.name) ? ' ' : '';
    text += apart;
    node.children.forEach(read);
    text += apart;
  };
  element?.children.forEach(read);
  return folded(text);
}

/** One blank where several were, none at the ends, no invisible characters. */
const folded = (text: string): string =>
  text
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** A run of text and the element that holds it. */
export interface Passage {
  element: Element;
  text: string;
}

/** The largest elements that hold text and no block, in order. */
export function paragraphsOf(within: Element, leaveOut = NOTHING): Passage[] {
  return passages(within, leaveOut, (element) => !holdsBlock(element));
}

/** The largest elements with text of their own, in order. */
export function leavesOf(within: Element, leaveOut = NOTHING): Passage[] {
  return passages(within, leaveOut, (element) => element.children.some((child) => isText(child) && folded(child.data) !== ''));
}

function passages(within: Element, leaveOut: LeaveOut, isPassage: (element: Element) => boolean): Passage[] {
  const found: Passage[] = [];
  const visit = (element: Element): void => {
    if (isHidden(element) || leaveOut(element)) return;
    if (!isPassage(element)) return element.children.filter(isTag).forEach(visit);
    const text = readText(element, leaveOut);
    if (text) found.push({ element, text });
  };
  visit(within);
  return found;
}

/** The text of an element's own, without that of the elements inside it. */
export const ownText = ({ children }: Element): string => folded(children.map((child) => (isText(child) ? child.data : ' ')).join(''));

/** The text of all scripts, where some pages keep data. */
export const scriptsOf = (within: ParentNode): string =>
  all(within, 'script')
    .map(({ children }) => children.map((child) => (isText(child) ? child.data : '')).join(''))
    .join('\n');
