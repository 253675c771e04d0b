import { domainOf } from '@overheard/providers/answer/addresses';
import { plural } from '../ui/format';
import type { Ad, BrandAds, InlineProduct, Media, Place, Price, Product, ProductGroup, SearchProduct, Video } from './result';

/** Anything an answer shows as a card: a product, an advertisement, a place, a film. */
export interface Item {
  title: string;
  url?: string;
  /** Small facts beneath the title: a shop, a site, an address. */
  facts: string[];
  description?: string;
  price?: string;
  oldPrice?: string;
  rating?: number;
  reviews?: string;
  badge?: string;
  links?: { title: string; url?: string }[];
}

export interface ItemGroup {
  title?: string;
  items: Item[];
}

/** Products in their groups; those that stand alone make one group. */
export function productGroups(cards: (ProductGroup | SearchProduct)[]): ItemGroup[] {
  const alone = cards.filter((card): card is SearchProduct => !('products' in card));
  const groups = cards
    .filter((card): card is ProductGroup => 'products' in card)
    .map(({ tags, products }) => ({ title: tags.join(' · ') || undefined, items: products.map(productItem) }));
  return alone.length > 0 ? [{ items: alone.map(searchProductItem) }, ...groups] : groups;
}

const productItem = (product: Product): Item => ({
  title: product.title,
  url: product.url ?? product.offers?.find(({ url }) => url)?.url,
  facts: facts(product.merchant, product.offers?.length ? plural(product.offers.length, 'offer') : undefined, product.provider),
  description: product.description,
  price: product.price,
  rating: product.rating,
  reviews: product.num_reviews === undefined ? undefined : String(product.num_reviews),
  badge: product.featured_tag,
});

const searchProductItem = ({ title, productLink, category, store, price, oldPrice, rating, reviews }: SearchProduct): Item => ({
  title,
  url: productLink,
  facts: facts(store, category),
  price: price?.raw,
  oldPrice: oldPrice?.raw,
  rating,
  reviews,
});

export const inlineProductItem = ({ product, render_as, details }: InlineProduct): Item => {
  const item = productItem(product);
  return { ...item, facts: facts(...item.facts, render_as), description: details?.rationale?.rationale ?? details?.reviews?.summary ?? item.description };
};

/** Advertisements under their brands; those without one make one group. */
export function adGroups(ads: (Ad | BrandAds)[]): ItemGroup[] {
  const alone = ads.filter((ad): ad is Ad => !('brand' in ad));
  const branded = ads
    .filter((ad): ad is BrandAds => 'brand' in ad)
    .map(({ brand, cards }) => ({
      title: brand.name,
      items: cards.map(({ title, body, url }) => ({ title, url, description: body, facts: facts(domain(url ?? brand.url)) })),
    }));
  return alone.length > 0 ? [{ items: alone.map(adItem) }, ...branded] : branded;
}

const adItem = (ad: Ad): Item => ({
  title: ad.title,
  url: ad.url,
  facts: facts(ad.displayedUrl ?? ad.domain ?? domain(ad.url), ad.store, ad.blockPosition && `${ad.blockPosition} of the page`),
  description: ad.description,
  price: raw(ad.price),
  oldPrice: raw(ad.oldPrice ?? ad.old_price),
  badge: ad.type,
  links: ad.sitelinks,
});

/** A place, hotel or entry of a map. */
export function placeItem(place: Place): Item {
  const latitude = place.latitude ?? place.lat;
  const longitude = place.longitude ?? place.lng;
  const reviews = place.reviewCount ?? place.num_reviews;
  return {
    title: place.name,
    url: place.url ?? place.websiteUrl,
    facts: facts(
      [place.address ?? []].flat().join(', '),
      place.phone,
      (place.categories ?? []).join(', '),
      latitude === undefined || longitude === undefined ? undefined : `${latitude.toFixed(4)}, ${longitude.toFixed(4)}`,
    ),
    description: place.description,
    price: place.price_level,
    rating: place.rating,
    reviews: reviews === undefined ? undefined : String(reviews),
    links: place.map_url ? [{ title: 'Map', url: place.map_url }] : undefined,
  };
}

/** A film or picture. It is named, never loaded: the pages ask nothing of other sites. */
export const mediaItem = (media: Video | Media): Item => ({
  title: media.title || domainOf(media.url),
  url: media.url,
  facts: facts(
    'platform' in media ? media.platform : undefined,
    media.source ?? domain(media.url),
    'duration' in media ? media.duration : undefined,
    'date' in media ? media.date : undefined,
    'image_width' in media && media.image_height !== undefined ? `${media.image_width} × ${media.image_height}` : undefined,
  ),
});

const facts = (...all: (string | undefined)[]): string[] => [...new Set(all.filter((fact) => fact !== undefined && fact !== ''))] as string[];
const domain = (url: string | undefined) => (url === undefined ? undefined : domainOf(url));
const raw = (price: Price | undefined) => price?.raw;
