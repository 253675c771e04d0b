import { addressKey, domainOf, isWebAddress } from '../../answer/addresses.js';
import { fieldsOf, isRecord, listOf, textOf, type JsonRecord } from '../../formats/json.js';
import { readProduct } from '../../formats/products.js';
import { integer, number, shaped, text, texts, type Shape } from '../../formats/shape.js';
import type { PerplexityResult } from '../contract.js';
import type { PerplexityAnswer } from './answer.js';

type Media = PerplexityResult['images'][0];
type ProductCard = NonNullable<PerplexityResult['shopping_cards']>[0];
type Place = NonNullable<PerplexityResult['places']>[0];
type Hotel = NonNullable<PerplexityResult['hotels']>[0];

const MEDIA: Shape = {
  title: text('name', 'title'),
  url: text('url', 'origin_url', 'image_url', 'image'),
  thumbnail: text('thumbnail', 'thumbnail_url', 'image_url'),
  medium: text('medium'),
  source: text('source'),
  image_width: integer('image_width', 'width'),
  image_height: integer('image_height', 'height'),
  thumbnail_width: integer('thumbnail_width'),
  thumbnail_height: integer('thumbnail_height'),
};

const PLACE: Shape = {
  name: text('name', 'title'),
  url: text('url'),
  map_url: text('map_url'),
  rating: number('rating'),
  // One line may stand alone.
  address: ({ address }) => texts('address')({ address: [address].flat() }),
  lat: number('lat', 'latitude'),
  lng: number('lng', 'longitude'),
  categories: texts('categories'),
  images: texts('images'),
};

const { map_url: _none, ...spot } = PLACE;
const HOTEL: Shape = {
  ...spot,
  description: text('description'),
  image_url: text('image_url'),
  price_level: text('price_level', 'price_range'),
  num_reviews: integer('num_reviews'),
  phone: text('phone'),
};

/** What the web app shows around its text. Shopping, hotels and places have not been recorded: their names are those that the app reads. */
export function extrasOf(blocks: JsonRecord[]): PerplexityAnswer['extras'] {
  const media = under(blocks, /^media_items$/).filter((item) => textOf(fieldsOf(item).medium));
  const hotels = under(under(blocks, /^hotels?_(?:mode_)?block$/), /^(?:hotels|places)$/);
  const places = under(blocks, /^(?:places|locations)$/).filter((place) => !hotels.includes(place));
  return {
    images: imagesOf(media),
    videos: videosOf(media),
    ...some('shopping_cards', cardsOf(under(blocks, /^shopping_(?:mode_)?block$/))),
    ...some('hotels', spotsOf<Hotel>(HOTEL, hotels)),
    ...placesOf(places),
  };
}

export const imagesOf = (found: unknown[]): Media[] => mediaOf('image', found);
export const videosOf = (found: unknown[]): Media[] => mediaOf('video', found);
export const placesOf = (found: unknown[]): { places?: Place[] } => some('places', spotsOf<Place>(PLACE, found));

/** Each picture or film of a medium once; what does not say its medium stands in a list of that medium alone. */
function mediaOf(medium: 'image' | 'video', found: unknown[]): Media[] {
  const media = new Map<string, Media>();
  for (const item of found.map(fieldsOf)) {
    const { url, title, ...rest } = (shaped(MEDIA, item) ?? {}) as Partial<Media>;
    if (!url || !isWebAddress(url) || (rest.medium ?? medium) !== medium) continue;
    const key = addressKey((text('image', 'image_url')(item) as string | undefined) ?? url);
    if (!media.has(key)) media.set(key, { title: title ?? domainOf(url), url, ...rest, medium });
  }
  return [...media.values()];
}

/** Cards of products; products that stand alone make one card. Positions run through all of them. */
function cardsOf(shopping: unknown[]): ProductCard[] {
  let position = 0;
  const cardOf = (products: unknown[], tags: string[] = []): ProductCard => ({
    tags,
    products: products.flatMap((product) => readProduct(product) ?? []).map((product) => ({ ...product, position: ++position })),
  });
  const widgets = [...shopping, ...under(shopping, /^shopping_widgets$/)].map(fieldsOf);
  const grouped = widgets.filter(({ products }) => Array.isArray(products));
  const cards = grouped.map(({ products, tags }) => cardOf(listOf(products), listOf(tags).filter(textOf) as string[]));
  return [...cards, cardOf(widgets.filter((widget) => !grouped.includes(widget)))].filter(({ products }) => products.length > 0);
}

function spotsOf<Spot extends Place | Hotel>(shape: Shape, found: unknown[]): Spot[] {
  const spots = found.map((spot) => shaped(shape, spot) as Spot | undefined).filter((spot) => spot?.name !== undefined) as Spot[];
  return [...new Map(spots.map((spot) => [`${spot.name} ${spot.url}`, spot])).values()];
}

const some = <Name extends string, Entry>(name: Name, list: Entry[]): { [key in Name]?: Entry[] } =>
  list.length ? ({ [name]: list } as { [key in Name]: Entry[] }) : {};

/** What stands under a name at any depth, lists taken apart. */
function under(value: unknown, name: RegExp): unknown[] {
  if (Array.isArray(value)) return value.flatMap((entry) => under(entry, name));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [...(name.test(key) ? [inner].flat() : []), ...under(inner, name)]);
}
