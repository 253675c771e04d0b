import { domainOf, isWebAddress } from '../answer/addresses.js';
import { readProductCard } from './google-cards.js';
import { googleAddress, isAdClick, isForeign, outsideTarget } from './google-links.js';
import type { GooglePage } from './google-page.js';
import type { Price } from './google-price.js';
import { all, attribute, closest, first, isHidden, isWithin, matches, paragraphsOf, readText, upwards, type Element } from './html.js';

export interface Ad {
  blockPosition: 'top' | 'bottom';
  type: 'text' | 'product';
  title: string;
  url?: string;
  displayedUrl?: string;
  domain?: string;
  description?: string;
  store?: string;
  imageUrl?: string;
  price?: Price;
  oldPrice?: Price;
  sitelinks?: { url: string; title: string }[];
}

const TOP = '#tads, #tvcap, #atvcap, #taw';
const BOTTOM = '#tadsb, #bottomads';
/** One advertisement; before 2021 an entry of the block's list. */
const UNIT = '[data-text-ad], #tads > ol > li, #tadsb > ol > li, #bottomads ol > li';
const TITLE = '[role="heading"], h3';
const TITLED_LINK = `a[href]:has(:is(${TITLE})), :is(${TITLE}) > a[href]`;
const PRODUCT = '.pla-unit, [data-pla-slot-pos], [data-pla]';
const CARD = 'g-inner-card, [role="listitem"]';
/** What stands in an advertisement beside its words. */
const ASIDE = 'a, ul, ol, table, h3, h4, button, [role="button"], [role="list"], [role="dialog"], [role="menu"], g-dialog';

/** The advertisements above and below the results, product listings apart. */
export function ads(page: GooglePage, country: string | undefined): Ad[] {
  const units = new Map<Element, Element>();
  for (const anchor of all(page.column, TITLED_LINK).filter(isAdTitle)) {
    const unit = unitOf(anchor);
    if (!units.has(unit)) units.set(unit, anchor);
  }
  const found = [...[...units].map(([unit, anchor]) => readTextAd({ unit, anchor, page })), ...cardAds(page, country)];
  return [...found.filter(({ blockPosition }) => blockPosition === 'top'), ...found.filter(({ blockPosition }) => blockPosition === 'bottom')];
}

/** Titles of advertisements name where they land, or lead by way of a counter, or stand in a unit of an advertisement block. */
function isAdTitle(anchor: Element): boolean {
  if (isHidden(anchor) || closest(anchor, `${PRODUCT}, ${CARD}`) || !readText(anchor)) return false;
  return (
    attribute(anchor, 'data-pcu') !== undefined ||
    attribute(anchor, 'data-rw') !== undefined ||
    isAdClick(attribute(anchor, 'href')) ||
    closest(anchor, UNIT) !== undefined
  );
}

/** Where nothing marks the unit, it is the largest part around the title with no other titled link in it. */
function unitOf(anchor: Element): Element {
  let unit = closest(anchor, UNIT);
  if (unit) return unit;
  unit = anchor;
  for (const outer of upwards(anchor)) {
    if (matches(outer, `${TOP}, ${BOTTOM}, #main, body`) || all(outer, TITLED_LINK).some((other) => other !== anchor)) break;
    unit = outer;
  }
  return unit;
}

function readTextAd({ unit, anchor, page }: { unit: Element; anchor: Element; page: GooglePage }): Ad {
  const landing = attribute(anchor, 'data-pcu')?.split(',').find(isWebAddress);
  const url = outsideTarget(attribute(anchor, 'href')) ?? landing;
  const displayedUrl = displayedUrlOf(anchor, unit);
  const domain = attribute(first(unit, '[data-dtld]'), 'data-dtld') ?? (landing || url ? domainOf((landing ?? url)!) : hostShownIn(displayedUrl));
  const description = paragraphsOf(unit, (element) => element === anchor || matches(element, ASIDE)).find(
    ({ text }) => text.length > 20 && !(displayedUrl && text.includes(displayedUrl)),
  )?.text;
  const sitelinks = sitelinksOf(unit, anchor);
  return {
    blockPosition: blockOf(anchor, page),
    type: 'text',
    title: titleOf(anchor),
    ...(url && { url }),
    ...(displayedUrl && { displayedUrl }),
    ...(domain && { domain }),
    ...(description && { description }),
    ...(sitelinks.length && { sitelinks }),
  };
}

const titleOf = (anchor: Element): string => readText(all(anchor, TITLE).find((heading) => !isHidden(heading) && readText(heading))) || readText(anchor);

/** On basic pages, where no block holds advertisements, those after the first result stand below. */
function blockOf(node: Element, { column }: GooglePage): Ad['blockPosition'] {
  if (closest(node, BOTTOM)) return 'bottom';
  if (closest(node, TOP)) return 'top';
  const order = all(column, '*');
  const result = order.findIndex((element) => element.name === 'a' && first(element, 'h3') && outsideTarget(attribute(element, 'href')) && !isAdTitle(element));
  return result >= 0 && order.indexOf(node) > result ? 'bottom' : 'top';
}

const ADDRESS = /^(?:https?:\/\/)?(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?:[/\s›:]|$)/u;

function displayedUrlOf(anchor: Element, unit: Element): string | undefined {
  const named = readText(first(unit, 'cite') ?? first(anchor, '[data-dtld]'));
  return (
    named ||
    all(anchor, 'span, div')
      .map((element) => readText(element))
      .find((text) => ADDRESS.test(text) && !text.includes(titleOf(anchor)))
  );
}

const hostShownIn = (displayed: string | undefined): string | undefined => displayed?.replace(/^(?:https?:\/\/)?(?:www\.)?/, '').split(/[\s/›]/)[0];

function sitelinksOf(unit: Element, anchor: Element): NonNullable<Ad['sitelinks']> {
  return all(unit, 'a[href]').flatMap((other) => {
    if (other === anchor || isHidden(other) || isWithin(other, anchor) || closest(other, '[role="dialog"], [role="menu"], g-dialog')) return [];
    const href = attribute(other, 'href')!;
    const url = outsideTarget(href) ?? (isAdClick(href) ? googleAddress(href) : undefined);
    const title = titleOf(other);
    return url && title && title !== titleOf(anchor) ? [{ url, title }] : [];
  });
}

/** Cards in an advertisement block that carry a price and are no product listing (decision S21). */
function cardAds(page: GooglePage, country: string | undefined): Ad[] {
  const cards = all(page.column, CARD).filter((card) => closest(card, `#tads, #atvcap, ${BOTTOM}`) && !closest(card, PRODUCT) && !first(card, PRODUCT));
  return cards.flatMap((card) => {
    const product = readProductCard(card, country);
    if (!product) return [];
    const { title, productLink: url, store, thumbnail, price, oldPrice } = product;
    return [
      {
        blockPosition: blockOf(card, page),
        type: 'product' as const,
        title,
        ...(url && { url }),
        ...(url && isForeign(url) && { domain: domainOf(url) }),
        ...(store && { store }),
        ...(thumbnail && { imageUrl: thumbnail }),
        price,
        ...(oldPrice && { oldPrice }),
      },
    ];
  });
}
