import { domainOf, isWebAddress } from '../answer/addresses.js';
import { readProductCard, type ProductCard } from './google-cards.js';
import { googleAddress, isAdClick, isForeign, outsideTarget } from './google-links.js';
import { all, attribute, closest, first, leavesOf, matches, outermost, readText, type Element } from './html.js';
import type { Price } from './google-price.js';

// What a generated answer shows beside its words: videos, products, places and advertisements, each as a card.

export interface AnswerVideo {
  url: string;
  title: string;
  thumbnail?: string;
  source?: string;
  platform?: string;
  date?: string;
  duration?: string;
}

export interface AnswerAd {
  position: number;
  title: string;
  url?: string;
  type: 'text' | 'product';
  domain?: string;
  description?: string;
  store?: string;
  image?: string;
  price?: Price;
  old_price?: Price;
}

export interface AnswerPlace {
  name: string;
  url?: string;
  map_url?: string;
  rating?: number;
  address?: string[];
  lat?: number;
  lng?: number;
  categories?: string[];
}

const CARD = '[role="listitem"], g-inner-card, [data-attrid="apg-product-result"], .pla-unit';
const AD = '[data-text-ad], [data-pla-slot-pos], .pla-unit';
const TITLE = '[role="heading"], h3';
const DURATION = /^(?:\d{1,2}:)?\d{1,2}:\d{2}$/;
const MAP_LINK = 'a[href*="/maps/"], a[href*="//maps.google."]';

const cardsIn = (place: Element): Element[] => outermost(all(place, CARD)).filter((card) => !closest(card, '[data-src-id]'));

/** Cards with a length of time and an address outside. */
export function answerVideos(place: Element): AnswerVideo[] {
  return cardsIn(place).flatMap((card) => {
    const texts = leavesOf(card).map(({ text }) => text);
    const duration = texts.find((text) => DURATION.test(text));
    const url = addressIn(card);
    const title = readText(first(card, TITLE));
    if (!duration || !url || !title) return [];
    const [platform, byline] = texts.slice(texts.indexOf(title) + 1).filter((text) => text !== duration && text !== title);
    const [source, date] = byline?.split(/\s+·\s+/) ?? [];
    const thumbnail = pictureIn(card);
    return [{ url, title, ...(thumbnail && { thumbnail }), ...(source && { source }), ...(platform && { platform }), ...(date && { date }), duration }];
  });
}

/** Cards with a price that nobody paid for. */
export const answerProducts = (place: Element, country: string | undefined): ProductCard[] =>
  cardsIn(place).flatMap((card) => (isAd(card) ? [] : (readProductCard(card, country) ?? [])));

export function answerAds(place: Element, country: string | undefined): AnswerAd[] {
  const units = outermost(all(place, `${AD}, ${CARD}`)).filter(isAd);
  return units.flatMap((unit) => readAd(unit, country) ?? []).map((ad, index) => ({ position: index + 1, ...ad }));
}

const isAd = (card: Element): boolean =>
  matches(card, AD) || all(card, 'a[href]').some((anchor) => isAdClick(attribute(anchor, 'href')) || attribute(anchor, 'data-rw') !== undefined);

function readAd(unit: Element, country: string | undefined): Omit<AnswerAd, 'position'> | undefined {
  const product = readProductCard(unit, country);
  const title = product?.title ?? readText(first(unit, TITLE));
  if (!title) return undefined;
  const anchor = first(unit, `a[href]:has(:is(${TITLE}))`) ?? first(unit, 'a[href]');
  const landing = attribute(anchor, 'data-pcu')?.split(',')[0];
  const url = product?.productLink ?? outsideTarget(attribute(anchor, 'href')) ?? landing ?? (anchor && googleAddress(attribute(anchor, 'href')!));
  const domain = attribute(first(unit, '[data-dtld]'), 'data-dtld') ?? (url && isForeign(url) ? domainOf(url) : undefined);
  const description = product ? undefined : leavesOf(unit).find(({ text }) => text !== title && text.length > 40)?.text;
  const image = product?.thumbnail;
  return {
    title,
    ...(url && { url }),
    type: product ? 'product' : 'text',
    ...(domain && { domain }),
    ...(description && { description }),
    ...(product?.store && { store: product.store }),
    ...(image && { image }),
    ...(product && { price: product.price }),
    ...(product?.oldPrice && { old_price: product.oldPrice }),
  };
}

/** Cards that lead to a map. */
export function answerPlaces(place: Element): AnswerPlace[] {
  return cardsIn(place).flatMap((card) => {
    const mapLink = attribute(first(card, MAP_LINK), 'href');
    const name = readText(first(card, TITLE));
    if (!mapLink || !name) return [];
    const texts = leavesOf(card)
      .map(({ text }) => text)
      .filter((text) => text !== name && text.length > 1);
    const rating = texts.find((text) => /^[1-5][.,]\d$/.test(text));
    const [category, address] = texts.filter((text) => /\p{L}/u.test(text) && !/^\(/.test(text));
    const url = addressIn(card);
    const [, lat, lng] = /@(-?\d+\.\d+),(-?\d+\.\d+)/.exec(mapLink) ?? [];
    return [
      {
        name,
        ...(url && isForeign(url) && { url }),
        map_url: googleAddress(mapLink),
        ...(rating && { rating: Number(rating.replace(',', '.')) }),
        ...(address && { address: [address] }),
        ...(lat && lng && { lat: Number(lat), lng: Number(lng) }),
        ...(category && { categories: [category] }),
      },
    ];
  });
}

const addressIn = (card: Element): string | undefined =>
  all(card, 'a[href]')
    .map((anchor) => outsideTarget(attribute(anchor, 'href')))
    .find((target) => target && !/\/maps\//.test(target));

const pictureIn = (card: Element): string | undefined =>
  all(card, 'img[src]')
    .map((image) => attribute(image, 'src'))
    .find((address) => address && isWebAddress(address));
