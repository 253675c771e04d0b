import { fieldsOf, listOf, textOf, type JsonRecord } from '../../formats/json.js';
import { readProduct, type Product } from '../../formats/products.js';
import { given, number, object, objects, records, shaped, text, type Shape } from '../../formats/shape.js';
import type { ChatgptResult } from '../contract.js';
import { fieldsIn, referencesOf } from './references.js';

type Cards = NonNullable<ChatgptResult['shoppingCards']>;
type InlineProducts = NonNullable<ChatgptResult['inlineProducts']>;

/** The carousels of an answer. `updates` are products as they were fetched again, with their offers. */
export function extractShoppingCards(messages: JsonRecord[], updates: JsonRecord[]): Cards {
  const newest = newestOf(updates);
  return messages
    .flatMap(referencesOf)
    .filter(({ type }) => type === 'products')
    .map((reference) => {
      const products = listOf(reference.products).flatMap((product, index) => readProduct(newest(product), index + 1) ?? []);
      return { tags: tagsOf(reference, products), products };
    })
    .filter(({ products }) => products.length);
}

/** Tags stand in the mark, else on the products. */
function tagsOf({ matched_text }: JsonRecord, products: Product[]): string[] {
  const tags = fieldsIn(String(matched_text ?? '')).flatMap((field) => listOf(fieldsOf(field).tags));
  const some = tags.filter(textOf).length ? tags : products.map(({ featured_tag }) => featured_tag);
  return [...new Set(some.filter(textOf))] as string[];
}

/** The products that stand alone in the text. */
export function extractInlineProducts(messages: JsonRecord[], updates: JsonRecord[]): InlineProducts {
  const newest = newestOf(updates);
  return messages
    .flatMap(referencesOf)
    .filter(({ type }) => type === 'product_entity' || type === 'product')
    .flatMap((reference) => {
      const product = readProduct(newest(reference.product));
      return product ? [{ product, ...shaped(INLINE, reference) }] : [];
    });
}

const REVIEW: Shape = {
  source: text('source'),
  theme: text('theme'),
  summary: text('summary'),
  cite: text('cite'),
  cite_url: text('cite_url'),
  rating: number('rating'),
  num_reviews: number('num_reviews'),
};
const DETAILS: Shape = {
  rationale: object({ rationale: text('rationale'), citations: records('citations') }, 'rationale'),
  reviews: object({ summary: text('summary'), reviews: objects(REVIEW, 'reviews') }, 'reviews'),
};
const INLINE: Shape = { render_as: text('render_as'), details: object(DETAILS, 'details') };

/** Joins a product with what was fetched for it later. */
function newestOf(updates: JsonRecord[]): (product: unknown) => JsonRecord {
  const byKey = new Map(updates.map(({ product }) => [keyOf(product), fieldsOf(given(product))]));
  return (product) => ({ ...fieldsOf(product), ...byKey.get(keyOf(product)) });
}

/** What names a product: its id, else its key for fetching, else its title. */
function keyOf(product: unknown): string {
  const { id, product_lookup_key, title } = fieldsOf(product);
  return JSON.stringify([id, fieldsOf(product_lookup_key).data, title].find((name) => textOf(name)) ?? null);
}
