import type { shapes } from '@overheard/contracts';
import type * as z from 'zod';
import { integer, number, object, objects, open, records, shaped, text, texts, yesOrNo, type Shape } from './shape.js';

export type Product = z.infer<typeof shapes.product>;

/** A product as the web apps describe it, in the interface's form; undefined for one without a title. */
export function readProduct(value: unknown, position?: number): Product | undefined {
  const product = shaped(PRODUCT, value);
  return product?.title === undefined ? undefined : ({ ...product, ...(position !== undefined && { position }) } as Product);
}

const OFFER: Shape = {
  merchant_name: text('merchant_name', 'seller_name'),
  merchant_subtitle: text('merchant_subtitle'),
  product_name: text('product_name'),
  url: text('url', 'offer_url'),
  price: text('price'),
  details: text('details'),
  original_price: text('original_price'),
  checkout_payload: text('checkout_payload'),
  shop_id: text('shop_id'),
  provider: text('provider'),
  available: yesOrNo('available'),
  checkoutable: yesOrNo('checkoutable'),
  is_digital: yesOrNo('is_digital'),
  checkout_image_urls: texts('checkout_image_urls'),
  price_details: object(
    { display_price: text('display_price'), base: text('base'), shipping: text('shipping'), tax: text('tax'), total: text('total') },
    'price_details',
  ),
  tag: object({ text: text('text'), tooltip: text('tooltip') }, 'tag'),
};

const PRODUCT: Shape = {
  title: text('title', 'name'),
  url: text('url'),
  description: text('description'),
  featured_tag: text('featured_tag'),
  id: text('id'),
  price: text('price'),
  rating: number('rating'),
  num_reviews: integer('num_reviews', 'numReviews'),
  image_urls: texts('image_urls', 'imageUrls'),
  merchant: text('merchant', 'merchants'),
  variants: ({ variants }) => variants,
  offers: objects(OFFER, 'offers'),
  rating_grouped_citation: object({ title: text('title'), url: text('url'), supporting_websites: records('supporting_websites') }, 'rating_grouped_citation'),
  provider: text('provider'),
  providers: texts('providers'),
  productLookupKey: object({ data: text('data') }, 'product_lookup_key', 'productLookupKey'),
  productLookupData: object(
    { requestQuery: text('request_query', 'requestQuery'), allIds: open('all_ids', 'allIds'), metadataSources: texts('metadata_sources', 'metadataSources') },
    'product_lookup_data',
    'productLookupData',
  ),
  showcaseMetadata: object(
    {
      image: object({ url: text('url'), width: integer('width'), height: integer('height') }, 'image'),
      background: object({ type: text('type'), primary: text('primary'), secondary: text('secondary') }, 'background'),
      slots: open('slots'),
      debug: open('debug'),
    },
    'showcase_metadata',
    'showcaseMetadata',
  ),
  showPriceDisclosure: yesOrNo('show_price_disclosure', 'showPriceDisclosure'),
  analyticsMeta: object({ productEventUuid: text('product_event_uuid', 'productEventUuid') }, 'analytics_meta', 'analyticsMeta'),
  metadataSources: texts('metadata_sources', 'metadataSources'),
  productEventUuid: text('product_event_uuid', 'productEventUuid'),
  generatedProductQuery: text('generated_product_query', 'generatedProductQuery'),
};
