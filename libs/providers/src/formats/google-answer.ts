import { addressKey, cleanAddress, domainOf } from '../answer/addresses.js';
import { notedPages, scriptedSource, type NotedPage } from './google-citations.js';
import { isForeign, outsideTarget } from './google-links.js';
import { all, attribute, closest, isTag, isText, leavesOf, matches, outermost, readText, type Element } from './html.js';
import { markdownOfHtml, plainTextOfHtml, type Rendering } from './html-text.js';

/** What Google's model wrote on a page: an AI Overview, a turn of AI Mode, or the answer to one of people's questions. */
export interface GeneratedAnswer {
  text: string;
  markdown: string;
  sources: AnswerSource[];
  pills: AnswerPill[];
  /** How many citation marks lead to no source. */
  unresolved: number;
}

export interface AnswerSource {
  position: number;
  url: string;
  label: string;
  description?: string;
}

export interface AnswerPill {
  label: string;
  citationPillId: number;
  url: string;
  domain: string;
  position: number;
}

/** The text itself, apart from its head and the column of its sources. The first of these that a page has counts. */
export const BODIES = ['[data-container-id="main-col"]', '[jsname="dvXlsc"]', '[data-attrid="SrpGenSumSummary"]'];
/** The box around text, head and sources, for a page whose body bears another name. */
const BOX = '[data-subtree="aimc"], [data-subtree="mfc"]';
const BOX_HEAD = 'h1, [jsname="txosbe"], [role="heading"]:has(> strong:only-child), li:has(a[aria-label])';
/** Shorter texts of a box are placeholders, such as "Searching…". */
const BOX_TEXT_MIN = 80;
/** What stands amid a text and is none of it. */
const WIDGETS = [
  'button, form, g-img, img, [role="button"], [role="dialog"], [role="progressbar"], [role="menu"], [role="tablist"], [role="navigation"]',
  '[role="list"], [role="listitem"], [data-src-id], [data-container-id="rhs-col"], [data-crb-el], [data-text-ad], .pla-unit',
  'a[href*="support.google."], a[href*="policies.google."]',
].join(', ');
const SOURCE_LINK = '[data-src-id] a[href], a[href][data-src-id], li a[href]';
/** Citation marks: of 2026, of 2025, and those that are themselves the link. */
const MARK = '[data-icl-uuid], [data-cid]';
const MARK_LINK = 'a[href][aria-label]';

const rendering: Rendering = { leaveOut: (element) => matches(element, WIDGETS) || isMarkLink(element) || isSourceEntry(element), targetOf: outsideTarget };

/** An entry of a list that begins with a labelled link is a source; in a text, words come first. */
function isSourceEntry({ name, children }: Element): boolean {
  const begin = name === 'li' ? children.find((child) => isTag(child) || (isText(child) && child.data.trim())) : undefined;
  return begin !== undefined && isTag(begin) && matches(begin, MARK_LINK);
}

/** Reads the generated answer in a part of a page; undefined when there is no text in it. */
export function readGeneratedAnswer(within: Element, scripts: string): GeneratedAnswer | undefined {
  const { bodies, leaveOut } = bodiesIn(within);
  if (!bodies.length) return undefined;
  const write = (form: typeof plainTextOfHtml) => bodies.map((body) => form(body, { ...rendering, leaveOut })).join('\n\n');
  const noted = notedPages(within);
  const marks = bodies.flatMap(marksIn);
  const sources = sourcesOf(within, [...noted, ...marks.flatMap(({ page }) => page ?? [])]);
  const pills = pillsOf(marks, { sources, noted, scripts });
  return { text: write(plainTextOfHtml), markdown: write(markdownOfHtml), sources, pills, unresolved: marks.length - pills.length };
}

function bodiesIn(within: Element): { bodies: Element[]; leaveOut: Rendering['leaveOut'] } {
  for (const selector of BODIES) {
    const bodies = outermost(all(within, selector)).filter((body) => plainTextOfHtml(body, rendering));
    if (bodies.length) return { bodies, leaveOut: rendering.leaveOut };
  }
  const leaveOut = (element: Element) => matches(element, BOX_HEAD) || rendering.leaveOut(element);
  const boxes = outermost(all(within, BOX)).filter((box) => plainTextOfHtml(box, { ...rendering, leaveOut }).length >= BOX_TEXT_MIN);
  return { bodies: boxes, leaveOut };
}

/** The pages behind an answer, each once: those with a card, then what else its marks lead to. */
function sourcesOf(within: Element, noted: NotedPage[]): AnswerSource[] {
  const sources = new Map<string, AnswerSource>();
  for (const { url, title, snippet } of [...all(within, SOURCE_LINK).filter(isCard).map(readCard), ...noted.filter(({ title }) => title)]) {
    const target = outsideTarget(url);
    if (!target || !isForeign(target) || sources.has(addressKey(target))) continue;
    const source = { position: sources.size + 1, url: cleanAddress(target), label: title ?? domainOf(target) };
    sources.set(addressKey(target), { ...source, ...(snippet && { description: snippet }) });
  }
  return [...sources.values()];
}

/** A card is labelled, or all of it is the link; in a text there are words around a link. */
function isCard(anchor: Element): boolean {
  const entry = closest(anchor, 'li');
  return attribute(anchor, 'aria-label') !== undefined || !entry || closest(anchor, '[data-src-id]') !== undefined || readText(entry) === readText(anchor);
}

/** A card's title is what its label begins with; "Opens in new tab" and the like follow. The snippet comes next. */
function readCard(anchor: Element): Omit<NotedPage, 'mark'> {
  const label = attribute(anchor, 'aria-label');
  const texts = leavesOf(closest(anchor, '[data-src-id], li') ?? anchor).map(({ text }) => text);
  const titles = texts.filter((text) => label?.startsWith(text)).sort((one, two) => two.length - one.length);
  const title = titles[0] ?? label ?? texts[0];
  return { url: attribute(anchor, 'href')!, title, snippet: texts.find((text) => text !== title && text.length > 40) };
}

interface CitationMark {
  id: string;
  /** Where the mark itself leads. */
  page?: NotedPage | undefined;
}

/** The citation marks of a text in order, each once. */
function marksIn(body: Element): CitationMark[] {
  const marks = new Map<string, CitationMark>();
  for (const element of all(body, `${MARK}, ${MARK_LINK}`)) {
    if (matches(element, MARK_LINK) && !isMarkLink(element)) continue;
    const id = attribute(element, 'data-icl-uuid') ?? attribute(element, 'data-cid') ?? attribute(element, 'href')!;
    if (!marks.has(id)) marks.set(id, { id, page: isMarkLink(element) ? linkedPage(element) : undefined });
  }
  return [...marks.values()];
}

/** "SITE (+1) - TITLE. View related links": the label of a mark that is a link. */
const MARK_LABEL = /^.+? (?:\(\+\d+\) )?- (.+?)(?:\. [^.]*)?\.?$/;

const isMarkLink = (element: Element): boolean =>
  element.name === 'a' && MARK_LABEL.test(attribute(element, 'aria-label') ?? '') && /^(?:https?:|\/url\?|\/goto\?)/.test(attribute(element, 'href') ?? '');

function linkedPage(anchor: Element): NotedPage | undefined {
  const url = outsideTarget(attribute(anchor, 'href'));
  return url ? { mark: url, url, title: MARK_LABEL.exec(attribute(anchor, 'aria-label')!)![1], snippet: undefined } : undefined;
}

/** One pill a mark. The mark at a section's heading has no note of its own: it stands for the first one below it. */
function pillsOf(marks: CitationMark[], { sources, noted, scripts }: { sources: AnswerSource[]; noted: NotedPage[]; scripts: string }): AnswerPill[] {
  const byKey = new Map(sources.map((source) => [addressKey(source.url), source]));
  const sourceOf = ({ id, page }: CitationMark) => {
    const url = (page ?? noted.find(({ mark }) => mark === id))?.url;
    return url ? byKey.get(addressKey(url)) : sources[scriptedSource(id, scripts) ?? -1];
  };
  const cited = marks.map(sourceOf);
  const resolved = cited.flatMap((source, index) => source ?? cited.slice(index).find(Boolean) ?? []);
  return resolved.map(({ label, url, position }, index) => ({ label, citationPillId: index + 1, url, domain: domainOf(url), position }));
}
