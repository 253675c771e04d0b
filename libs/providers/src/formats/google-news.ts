import { isWebAddress } from '../answer/addresses.js';
import { outsideTarget } from './google-links.js';
import type { GooglePage } from './google-page.js';
import { all, attribute, closest, first, isHidden, isWithin, matches, paragraphsOf, partsAround, readText, type Element } from './html.js';

export interface NewsResult {
  title: string;
  link: string;
  source: string;
  snippet?: string;
  date?: string;
  thumbnail?: string;
}

const TITLE = '[role="heading"], h3';
const ELSEWHERE = '#tads, #tadsb, #bottomads, #rhs, [role="navigation"], [role="complementary"], [role="dialog"]';
const COLUMN = '#rso, #search, #botstuff, #center_col, #main, body';
const ASIDE = 'g-img, img, button, [role="button"], [role="menu"]';

/** The articles of the news tab in order. Since 2020 each is a link around its source, title, snippet and date, in this order. */
export function newsResults({ column }: GooglePage): NewsResult[] {
  const anchors = all(column, `a[href]:has(:is(${TITLE})), :is(${TITLE}) > a[href]`).filter(
    (anchor) => outsideTarget(attribute(anchor, 'href')) && !closest(anchor, ELSEWHERE),
  );
  const byLink = new Map<string, NewsResult>();
  for (const [anchor, block] of partsAround(anchors, COLUMN)) {
    const article = readArticle(anchor, block);
    if (article && !byLink.has(article.link)) byLink.set(article.link, article);
  }
  return [...byLink.values()];
}

function readArticle(anchor: Element, block: Element): NewsResult | undefined {
  const link = outsideTarget(attribute(anchor, 'href'))!;
  const heading = first(anchor, TITLE) ?? closest(anchor, TITLE)!;
  const title = readText(heading);
  if (!title) return undefined;
  const passages = paragraphsOf(block, (element) => matches(element, ASIDE)).filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  const at = passages.findIndex(({ element }) => isWithin(element, heading) || isWithin(heading, element));
  const before = passages.slice(0, Math.max(at, 0)).map(({ text }) => text);
  const after = passages.slice(at + 1).map(({ text }) => text);
  const [byline = '', ...rest] = before.length ? [before[0]!, ...after] : after;
  const { source, date = dateOf(rest) } = before.length ? { source: byline } : bylineOf(byline, link);
  const snippet = rest.find((text) => text !== date);
  const thumbnail = thumbnailIn(block);
  return { title, link, source, ...(snippet && { snippet }), ...(date && { date }), ...(thumbnail && { thumbnail }) };
}

const dateOf = (texts: string[]): string | undefined => {
  const last = texts.at(-1);
  return last && last.length <= 40 ? last : undefined;
};

/** "Source - 3 hours ago", before 2020. */
function bylineOf(byline: string, link: string): { source: string; date?: string } {
  const [source, date] = byline.split(/\s+[-–—·]\s+/);
  return { source: source || new URL(link).hostname.replace(/^www\./, ''), ...(date && { date }) };
}

/** A picture that is there; the site's icon is a `g-img`. */
const thumbnailIn = (block: Element): string | undefined =>
  all(block, 'img[src]')
    .filter((image) => !isHidden(image) && !closest(image, 'g-img'))
    .map((image) => attribute(image, 'src'))
    .find((address) => address && isWebAddress(address));
