import type { shapes } from '@overheard/contracts';
import type * as z from 'zod';

// The fields that any result may have. No provider has all of them; the view shows those that are there.

export type Source = z.infer<typeof shapes.source> & { datePublished?: string; footnote?: boolean; confidence_level?: number };
export type Pill = z.infer<typeof shapes.citationPill>;
export type Product = z.infer<typeof shapes.product>;
export type Media = z.infer<typeof shapes.media>;
export type Place = Partial<z.infer<typeof shapes.hotel> & z.infer<typeof shapes.place> & Omit<z.infer<typeof shapes.mapEntry>, 'address'>> & {
  name: string;
  address?: string | string[];
};
export type Price = z.infer<typeof shapes.price>;

/** A product of a search page, which stands by itself and not in a group. */
export interface SearchProduct {
  title: string;
  productLink?: string;
  category?: string;
  store?: string;
  price?: Price;
  oldPrice?: Price;
  rating?: number;
  reviews?: string;
}
export interface ProductGroup {
  tags: string[];
  products: Product[];
}
export interface InlineProduct {
  product: Product;
  render_as?: string;
  details?: { rationale?: { rationale?: string }; reviews?: { summary?: string } };
}

/** An advertisement, in an answer or on a search page. */
export interface Ad {
  title: string;
  url?: string;
  displayedUrl?: string;
  domain?: string;
  description?: string;
  type?: string;
  blockPosition?: string;
  store?: string;
  price?: Price;
  oldPrice?: Price;
  old_price?: Price;
  sitelinks?: { url?: string; title: string; description?: string }[];
}
/** A brand's advertisements. */
export interface BrandAds {
  brand: { name: string; url?: string };
  cards: { title: string; body?: string; url?: string }[];
}

export interface SearchResult {
  position: number;
  title: string;
  link: string;
  displayedLink?: string;
  source?: string;
  snippet?: string;
  date?: string;
  page?: number;
  sitelinks?: { inline: { title: string; link: string }[] };
}
export interface Question {
  question: string;
  snippet?: string;
  title?: string;
  link?: string;
  markdown?: string;
  sources?: Source[];
}
export interface Video {
  title: string;
  url: string;
  source?: string;
  platform?: string;
  date?: string;
  duration?: string;
  medium?: string;
}

/** An answer in words with what it cites; also what a search page's overview is. */
export interface Answer {
  text?: string;
  markdown?: string;
  html?: string | string[];
  sources?: Source[];
  citationPills?: Pill[];
  videos?: (Video | Media)[];
  ads?: (Ad | BrandAds)[];
}

export interface Result extends Answer {
  model?: string;
  rawResponse?: Record<string, unknown>[];
  aioverview?: Answer | null;
  organicResults?: SearchResult[];
  newsResults?: SearchResult[];
  peopleAlsoAsk?: Question[];
  peopleAreSaying?: { title: string; link: string; date?: string }[];
  relatedSearches?: { query: string; link: string }[];
  related_queries?: string[];
  searchQueries?: string[];
  search_model_queries?: { query: string; engine: string; limit: number }[];
  shopping_cards?: ProductGroup[];
  shoppingCards?: (ProductGroup | SearchProduct)[];
  inlineProducts?: InlineProduct[];
  images?: Media[];
  hotels?: Place[];
  places?: Place[];
  map?: Place[];
  entities?: { type: string; name: string }[];
}

const KNOWN: Record<string, true> = {
  text: true,
  markdown: true,
  html: true,
  sources: true,
  citationPills: true,
  videos: true,
  ads: true,
  model: true,
  rawResponse: true,
  aioverview: true,
  organicResults: true,
  newsResults: true,
  peopleAlsoAsk: true,
  peopleAreSaying: true,
  relatedSearches: true,
  related_queries: true,
  searchQueries: true,
  search_model_queries: true,
  shopping_cards: true,
  shoppingCards: true,
  inlineProducts: true,
  images: true,
  hotels: true,
  places: true,
  map: true,
  entities: true,
} satisfies Record<keyof Result, true>;

/** What a result has besides the fields that the view knows. */
export const otherFields = (result: Result): Record<string, unknown> =>
  Object.fromEntries(Object.entries(result).filter(([name]) => !Object.hasOwn(KNOWN, name)));
