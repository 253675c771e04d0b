import { fieldsOf, isRecord, listOf, textOf, type JsonRecord } from '../../formats/json.js';
import { integer, number, objects, shaped, text, texts, type Shape } from '../../formats/shape.js';
import type { ChatgptResult } from '../contract.js';
import { referencesOf } from './references.js';

type MapEntries = NonNullable<ChatgptResult['map']>;
type Ads = NonNullable<ChatgptResult['ads']>;

/** The businesses on an answer's maps. Those that the app could only name, not place, come as fallbacks. */
export function extractMap(messages: JsonRecord[]): MapEntries {
  const maps = messages.flatMap(referencesOf).filter(({ type }) => type === 'businesses_map' || type === 'map');
  return maps
    .flatMap(({ businesses, business_fallbacks }) => (listOf(businesses).length ? listOf(businesses) : listOf(business_fallbacks)))
    .flatMap<JsonRecord>((business) => shaped(BUSINESS, business) ?? [])
    .filter(({ name }) => name !== undefined)
    .map((business, index) => ({ position: index + 1, ...business }) as MapEntries[number]);
}

const BUSINESS: Shape = {
  id: text('id'),
  provider: text('provider'),
  name: text('name'),
  address: (business) => text('address', 'location')(business) ?? addressOf(fieldsOf(business.location)),
  description: text('description'),
  phone: text('phone', 'display_phone'),
  websiteUrl: text('website_url', 'websiteUrl', 'url'),
  position: integer('position'),
  latitude: (business) => coordinate(business, 'latitude', 'lat'),
  longitude: (business) => coordinate(business, 'longitude', 'lng', 'lon'),
  categories: (business) => texts('titles')({ titles: listOf(business.categories).map((category) => textOf(category) ?? fieldsOf(category).title) }),
  rating: number('rating'),
  reviewCount: integer('review_count', 'reviewCount'),
};

const addressOf = ({ address, display_address }: JsonRecord): string | undefined => textOf(address) ?? textOf(listOf(display_address).join(', '));

const coordinate = (business: JsonRecord, ...names: string[]): unknown =>
  [business, business.coordinates, business.location].map((place) => number(...names)(fieldsOf(place))).find((value) => value !== undefined);

/** Whether an event brings advertisements. */
export const isAdvertisement = ({ type }: JsonRecord): boolean => /(?:^|_)ads?(?:_|$)/.test(String(type));

/** The advertisements that came with an answer: one unit an advertiser, alone or several in one event. */
export const extractAds = (advertisements: JsonRecord[]): Ads =>
  advertisements.flatMap(unitsIn).flatMap((unit) => {
    const brand = shaped(BRAND, unit.advertiser_brand);
    return brand?.name === undefined ? [] : [{ brand, cards: [], ...shaped(CAROUSEL, unit) } as unknown as Ads[number]];
  });

function unitsIn(value: unknown): JsonRecord[] {
  if (Array.isArray(value)) return value.flatMap(unitsIn);
  if (!isRecord(value)) return [];
  return isRecord(value.advertiser_brand) ? [value] : [value.content, value.ads].flatMap(unitsIn);
}

const BRAND: Shape = { name: text('name'), url: text('url'), favicon: text('favicon_url', 'favicon') };
const CARD: Shape = {
  title: text('title'),
  body: text('body'),
  url: (card) => text('value', 'url')(fieldsOf(card.target)) ?? text('url')(card),
  image: text('image_url', 'image'),
};
const CAROUSEL: Shape = { cards: (unit) => listOf(objects(CARD, 'carousel_cards', 'cards')(unit)).filter((card) => fieldsOf(card).title) };
