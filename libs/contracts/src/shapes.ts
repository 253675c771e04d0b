import * as z from 'zod';

// The objects that several results share (interface.md, Shared objects). What an upstream did not give is absent, never null (decision S13).

const text = z.string().optional();
const number = z.number().optional();
const integer = z.int().optional();
const texts = z.array(z.string()).optional();
const open = z.record(z.string(), z.unknown());

export const source = z.object({ position: z.int(), url: z.string(), label: z.string(), description: text }).meta({ id: 'Source' });

export const citationPill = z
  .object({ label: z.string(), citationPillId: z.int(), url: z.string(), domain: z.string(), description: text, position: z.int() })
  .meta({ id: 'CitationPill' });

export const offer = z
  .object({
    merchant_name: text,
    merchant_subtitle: text,
    product_name: text,
    url: text,
    price: text,
    details: text,
    original_price: text,
    checkout_payload: text,
    shop_id: text,
    provider: text,
    available: z.boolean().optional(),
    checkoutable: z.boolean().optional(),
    is_digital: z.boolean().optional(),
    checkout_image_urls: texts,
    price_details: z.object({ display_price: text, base: text, shipping: text, tax: text, total: text }).optional(),
    tag: z.object({ text, tooltip: text }).optional(),
  })
  .meta({ id: 'Offer' });

export const product = z
  .object({
    title: z.string(),
    url: text,
    description: text,
    featured_tag: text,
    id: text,
    position: integer,
    price: text,
    rating: number,
    num_reviews: integer,
    image_urls: texts,
    merchant: text,
    variants: z.unknown().optional(),
    offers: z.array(offer).optional(),
    rating_grouped_citation: z.object({ title: text, url: text, supporting_websites: z.array(open).optional() }).optional(),
    provider: text,
    providers: texts,
    productLookupKey: z.object({ data: text }).optional(),
    productLookupData: z.object({ requestQuery: text, allIds: open.optional(), metadataSources: texts }).optional(),
    showcaseMetadata: z
      .object({
        image: z.object({ url: text, width: integer, height: integer }).optional(),
        background: z.object({ type: text, primary: text, secondary: text }).optional(),
        slots: open.optional(),
        debug: open.optional(),
      })
      .optional(),
    showPriceDisclosure: z.boolean().optional(),
    analyticsMeta: z.object({ productEventUuid: text }).optional(),
    metadataSources: texts,
    productEventUuid: text,
    generatedProductQuery: text,
  })
  .meta({ id: 'Product' });

/** A grouped collection of products, as a carousel shows it. */
export const productCard = z.object({ tags: z.array(z.string()), products: z.array(product) }).meta({ id: 'ProductCard' });

export const media = z
  .object({
    title: z.string(),
    url: z.string(),
    thumbnail: text,
    medium: text,
    source: text,
    image_width: integer,
    image_height: integer,
    thumbnail_width: integer,
    thumbnail_height: integer,
  })
  .meta({ id: 'Media' });

const spot = { name: z.string(), url: text, rating: number, address: texts, lat: number, lng: number, categories: texts, images: texts };
export const place = z.object({ ...spot, map_url: text }).meta({ id: 'Place' });
export const hotel = z.object({ ...spot, description: text, image_url: text, price_level: text, num_reviews: integer, phone: text }).meta({ id: 'Hotel' });

export const mapEntry = z
  .object({
    id: text,
    provider: text,
    name: z.string(),
    address: text,
    description: text,
    phone: text,
    websiteUrl: text,
    position: integer,
    latitude: number,
    longitude: number,
    categories: texts,
    rating: number,
    reviewCount: integer,
  })
  .meta({ id: 'MapEntry' });

/** A price as shown, and read: `currency` is ISO 4217 (decision S22). */
export const price = z.object({ value: z.number(), currency: z.string(), raw: z.string() }).meta({ id: 'Price' });

/** An upstream event passed through as it came. */
export const rawEvent = open;
