import { addressKey } from '../answer/addresses.js';
import { isForeign, outsideTarget } from './google-links.js';
import type { GooglePage } from './google-page.js';
import { all, attribute, closest, first, isHidden, isWithin, matches, paragraphsOf, partsAround, readText, upwards, type Element } from './html.js';

export interface OrganicResult {
  title: string;
  link: string;
  displayedLink?: string;
  snippet?: string;
  date?: string;
  sitelinks?: Sitelink[];
}

export interface Sitelink {
  title: string;
  link: string;
}

/** A result's title stands inside its link, or around it (before 2019). Mobile pages have no `h3`. */
const DESKTOP_TITLE = 'h3';
const ANY_TITLE = 'h3, [role="heading"]';
/** Everything whose links are titled like results and are none: advertisements, answers, panels, cards. */
export const NO_RESULTS = [
  '#tads, #tadsb, #bottomads, #tvcap, #atvcap, [data-text-ad]',
  '#rhs, [role="complementary"], [role="navigation"]',
  '#eKIzJc, [data-mcpr], [data-subtree], [data-container-id]',
  '.related-question-pair, [data-initq], [data-sgrd]',
  '[data-news-doc-id], [data-attrid], [data-docid]',
  'g-section-with-header, g-scrolling-carousel, g-inner-card, g-card, g-accordion-expander',
  '[role="listitem"], [role="dialog"], block-component, .g-blk',
].join(', ');
/** On mobile pages the cards of a video block have titles like results. */
const VIDEO = '[data-vid]';
const SNIPPET = '[data-snf="nke7rc"], [data-sncf="1"], [data-content-feature="1"], span.st';
const COLUMN = '#rso, #search, #botstuff, #center_col, #main, body';
/** What stands in a result's block beside its snippet. */
const ASIDE = 'cite, h3, [role="heading"], [role="button"], [role="menu"], [role="img"], button, g-img, img, table';
/** What may stand around links of the same site that belong to a panel or an answer beside the result. */
const ANSWERED = '[role="menu"], [role="complementary"], [data-attrid], [data-initq], .related-question-pair, g-section-with-header';
/** Parts of a result, named so since 2023; of these only one holds links to more of the site. */
const PART = '[data-snf]';
const SITELINKS_PART = '[data-snf="gdePb"]';

interface Titled {
  anchor: Element;
  heading: Element | undefined;
  title: string;
  link: string;
}

/** The web results of the main column in order. */
export function organicResults(page: GooglePage): OrganicResult[] {
  const results: Titled[] = [];
  for (const titled of titledLinks(page)) {
    const before = results.at(-1);
    if (!before || !isSitelinkOf(before, titled)) results.push(titled);
  }
  const blocks = partsAround(
    results.map(({ anchor }) => anchor),
    COLUMN,
  );
  return results.map((titled) => readResult(titled, blocks.get(titled.anchor)!));
}

function titledLinks({ column, isDesktop }: GooglePage): Titled[] {
  const titled = isDesktop ? linksTitledBy(DESKTOP_TITLE, column) : [];
  if (titled.length) return titled;
  const headed = linksTitledBy(ANY_TITLE, column).filter(({ anchor, heading }) => heading?.name === 'h3' || !closest(anchor, VIDEO));
  if (headed.length && !isDesktop) return headed;
  const unheaded = linksTitledByFirstLine(column);
  return headed.length >= unheaded.length ? headed : unheaded;
}

function linksTitledBy(title: string, column: GooglePage['column']): Titled[] {
  return all(column, `a[href]:has(:is(${title})), :is(${title}) > a[href]`).flatMap((anchor) => {
    const link = outsideTarget(attribute(anchor, 'href'));
    if (!link || isUnseen(anchor) || closest(anchor, NO_RESULTS)) return [];
    const heading = all(anchor, title).find((element) => !isHidden(element)) ?? closest(anchor, title);
    const text = readText(heading);
    return text ? [{ anchor, heading, title: text, link }] : [];
  });
}

const isUnseen = (anchor: Element): boolean => [...upwards(anchor)].some(isHidden);

/** Basic pages have no headings: a link's first line is the title there, its last one the address. */
function linksTitledByFirstLine(column: GooglePage['column']): Titled[] {
  return all(column, 'a[href]').flatMap((anchor) => {
    const link = outsideTarget(attribute(anchor, 'href'));
    if (!link || closest(anchor, NO_RESULTS)) return [];
    const lines = paragraphsOf(anchor).map(({ text }) => text);
    const [title, address] = [lines[0], lines.at(-1)];
    return title && lines.length > 1 && address && isAddressOf(link, address) ? [{ anchor, heading: undefined, title, link }] : [];
  });
}

/** A second-level title of the same site, in a table or list that belongs to the result before. */
function isSitelinkOf(result: Titled, { anchor, link }: Titled): boolean {
  const nest = closest(anchor, 'table, ul, ol');
  return nest !== undefined && !isWithin(result.anchor, nest) && siteOf(link) === siteOf(result.link);
}

const siteOf = (link: string): string => new URL(link).hostname.split('.').slice(-2).join('.');

function readResult(titled: Titled, block: Element): OrganicResult {
  const { title, link } = titled;
  const displayedLink = displayedLinkOf(titled, block);
  const snippetElement = snippetOf(titled, block);
  const snippet = readText(snippetElement);
  const date = dateOf(snippetElement, snippet);
  const sitelinks = sitelinksOf(titled, block);
  return { title, link, ...(displayedLink && { displayedLink }), ...(snippet && { snippet }), ...(date && { date }), ...(sitelinks.length && { sitelinks }) };
}

/** The address as shown: in `cite`, else the longest text of the link that begins with the host and is not the title too. */
function displayedLinkOf({ anchor, title, link }: Titled, block: Element): string | undefined {
  const cite = readText(first(block, 'cite'));
  if (cite) return cite;
  const texts = all(anchor, '*')
    .map((element) => readText(element))
    .filter((text) => isAddressOf(link, text) && !text.includes(title));
  return texts.sort((one, two) => two.length - one.length)[0];
}

const isAddressOf = (link: string, text: string): boolean => withoutScheme(text).startsWith(withoutScheme(new URL(link).host));

const withoutScheme = (text: string): string =>
  text
    .replace(/^https?:\/\//i, '')
    .replace(/^(?:www|m)\./i, '')
    .toLowerCase();

/** The part that is named so, else the longest paragraph of the block. */
function snippetOf({ anchor }: Titled, block: Element): Element | undefined {
  const named = all(block, SNIPPET).find((element) => readText(element));
  if (named) return named;
  const paragraphs = paragraphsOf(block, (element) => element === anchor || matches(element, ASIDE));
  const longest = paragraphs.sort((one, two) => two.text.length - one.text.length)[0];
  return longest && longest.text.length > 30 ? longest.element : undefined;
}

/** What stands before the first dash or dot of a text. */
const LEAD = /^(.{3,30}?)\s*(?:—|–|\s-\s|·)\s*\S/u;
const YEAR = /(?<!\p{Nd})(?:1[34]|19|20|25)\p{Nd}\p{Nd}(?!\p{Nd})/u;
const AGE = /^[^\p{Nd}]*\p{Nd}{1,3}\s*\p{L}[^\p{Nd}]*$/u;

/** The day at the beginning of a snippet, as shown: in an element of its own, or else one that can be nothing but a day. */
function dateOf(snippet: Element | undefined, text: string): string | undefined {
  const lead = LEAD.exec(text)?.[1]?.trim();
  if (!snippet || !lead || !/^[\p{L}\p{N}]/u.test(lead) || /[:;()]/.test(lead)) return undefined;
  const standsAlone = all(snippet, '*').some((element) => readText(element).replace(/\s*[—–·-]$/, '') === lead);
  if (standsAlone) return YEAR.test(lead) || AGE.test(lead) ? lead : undefined;
  return YEAR.test(lead) && /^\p{L}{0,9}\.? ?\p{Nd}{1,2}[.,]? (?:\p{L}{1,10}\.? )?\p{Nd}{4}$/u.test(lead) ? lead : undefined;
}

/** Further pages of the same site that stand under a result, in one line or in columns. */
function sitelinksOf({ anchor, link }: Titled, block: Element): Sitelink[] {
  const seen = new Set([addressKey(link)]);
  return all(block, 'a[href]').flatMap((other) => {
    const target = outsideTarget(attribute(other, 'href'));
    if (other === anchor || !target || !isForeign(target) || siteOf(target) !== siteOf(link) || !isSitelinkPlace(other)) return [];
    const title = readText(first(other, DESKTOP_TITLE)) || readText(other);
    if (!title || seen.has(addressKey(target))) return [];
    seen.add(addressKey(target));
    return [{ title, link: target }];
  });
}

/** Links to more of the site stand in a part of their own; older results have lines of nothing but such links. */
function isSitelinkPlace(anchor: Element): boolean {
  const part = closest(anchor, PART);
  if (part) return matches(part, SITELINKS_PART);
  const line = closest(anchor, 'div, p, td, li, h3');
  const isAmidWords = /\p{L}/u.test(readText(line, (element) => element.name === 'a'));
  return !isAmidWords && !closest(anchor, ANSWERED);
}
