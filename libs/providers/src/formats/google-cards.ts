import { isWebAddress } from '../answer/addresses.js';
import { googleAddress, isAdClick, outsideTarget } from './google-links.js';
import type { GooglePage } from './google-page.js';
import { parsePrice, type Price } from './google-price.js';
import { all, attribute, closest, first, isHidden, isTag, isWithin, leavesOf, matches, outermost, ownText, readText, type Element } from './html.js';

export interface ProductCard {
  title: string;
  price: Price;
  oldPrice?: Price;
  productLink?: string;
  store?: string;
  thumbnail?: string;
  rating?: number;
  reviews?: string;
}

/** Sponsored cards: the class is on every page since 2018. Where it is not, a link's id or attributes tell. */
const SPONSORED = '.pla-unit';
const SPONSORED_BY_LINK = '[data-pla-slot-pos], :has(> a[id^="vplap"]), a[data-merchant-id][data-offer-id]:has(img)';
/** Cards of the free product grid. They open a view of Google's own and have no address. */
const GRID = '[data-attrid="apg-product-result"], product-viewer-group li, li[data-offer-surface], li:has(> a[aria-haspopup][aria-label])';
const STRUCK = 's, del, strike, [style*="line-through"]';
const DIALOG = '[role="dialog"], g-dialog, g-snackbar';

/** The product cards of a page, sponsored ones and those of the grid, each as often as it is there. */
export function productCards({ root }: GooglePage, country: string | undefined): ProductCard[] {
  const sponsored = first(root, SPONSORED) ? SPONSORED : SPONSORED_BY_LINK;
  return outermost(all(root, `${sponsored}, ${GRID}`)).flatMap((card) => readProductCard(card, country) ?? []);
}

/** Reads a card; undefined when it has no title or no price, as the "more" tile at the end of a row. */
export function readProductCard(card: Element, country: string | undefined): ProductCard | undefined {
  const prices = pricesIn(card, country);
  const isStruck = ({ element }: { element: Element }) => isWithinCard(closest(element, STRUCK), card);
  const current = prices.find((price) => !isStruck(price));
  const title = titleOf(card);
  if (!current || !title) return undefined;
  const old = prices.find((price) => isStruck(price) || (price.element !== current.element && price.price.value > current.price.value));
  const details = detailsOf(card, current.element, [title, ...prices.map(({ price }) => price.raw)]);
  const productLink = linkOf(card);
  const thumbnail = thumbnailOf(card);
  return {
    title,
    price: current.price,
    ...(old && { oldPrice: old.price }),
    ...(productLink && { productLink }),
    ...(thumbnail && { thumbnail }),
    ...details,
  };
}

const isWithinCard = (element: Element | undefined, card: Element): boolean => element !== undefined && isWithin(element, card);

/** The texts that are nothing but a price. One may stand inside another, or be spread over several elements. */
function pricesIn(card: Element, country: string | undefined): { element: Element; price: Price }[] {
  const found: { element: Element; price: Price }[] = [];
  const visit = (element: Element): void => {
    if (isHidden(element) || matches(element, DIALOG)) return;
    const own = parsePrice(ownText(element), country);
    const price = own ?? parsePrice(readText(element), country);
    if (price) found.push({ element, price });
    if (own || !price) element.children.filter(isTag).forEach(visit);
  };
  visit(card);
  return found;
}

/** The title stands in a heading, once or in a short and a full form; else it is what a label for readers repeats. */
function titleOf(card: Element): string | undefined {
  const heading = all(card, '[role="heading"], h3, h4').find((element) => readText(element));
  if (heading) return longest(leavesOf(heading).map(({ text }) => text));
  const labels = all(card, 'img[alt], [aria-label]').map((element) => `${attribute(element, 'alt') ?? ''} ${attribute(element, 'aria-label') ?? ''}`);
  const texts = leavesOf(card, (element) => matches(element, DIALOG))
    .map(({ text }) => text)
    .filter((text) => text.length > 3 && !parsePrice(text, undefined));
  return longest(texts.filter((text) => labels.some((label) => label.includes(text)))) ?? texts[0];
}

const longest = (texts: string[]): string | undefined => texts.sort((one, two) => two.length - one.length)[0];

const RATING = /^[0-5][.,]\d$/;
const REVIEWS = /^\(([\p{Nd}][\p{Nd}.,\s]*[KMkm]?\+?)\)$/u;

/** What stands around the price: who sells it, how it is rated. */
function detailsOf(card: Element, price: Element, known: string[]): Pick<ProductCard, 'store' | 'rating' | 'reviews'> {
  const leaves = leavesOf(card, (element) => matches(element, DIALOG));
  const texts = leaves.map(({ text }) => text);
  const after = leaves.slice(leaves.findIndex(({ element }) => isWithin(price, element)) + 1).map(({ text }) => text);
  const store = after.find((text) => /^\p{L}|^\p{Nd}+\p{L}/u.test(text) && !known.includes(text));
  const rating = texts.find((text) => RATING.test(text));
  const reviews = texts.map((text) => REVIEWS.exec(text)?.[1]).find(Boolean);
  return { ...(store && { store }), ...(rating && { rating: Number(rating.replace(',', '.')) }), ...(reviews && { reviews }) };
}

function linkOf(card: Element): string | undefined {
  const addresses = [card, ...all(card, 'a[href]')].filter((element) => !isHidden(element)).map((element) => attribute(element, 'href'));
  const click = addresses.find(isAdClick);
  return addresses.map(outsideTarget).find(Boolean) ?? (click && googleAddress(click));
}

const thumbnailOf = (card: Element): string | undefined =>
  all(card, 'img[src]')
    .map((image) => attribute(image, 'src'))
    .find((address) => address && isWebAddress(address));
