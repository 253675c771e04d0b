import { countryOf, flag, includeFlags, promptText, shapes } from '@overheard/contracts';
import * as z from 'zod';
import type { LineItem, ProviderContract } from '../contract.js';
import { answerAd, answerVideo, device, oneSpot, pages, searchCountries, spot } from '../search-page.js';

/** Google shows no AI Overview in these, though it can be searched from them. */
const WITHOUT_OVERVIEW = ['CN', 'CU', 'FR', 'MC', 'SD', 'TR'];
const overviewCountries = searchCountries.filter((code) => !WITHOUT_OVERVIEW.includes(code));

/** `true` stands for an overview without options, `false` for none (decision R5). */
const overviewWish = z.preprocess(
  (value) => (value === true ? {} : value === false ? undefined : value),
  z.object({ markdown: flag }, { error: 'Expected object or boolean' }).optional(),
);

const request = oneSpot(
  z.object({
    query: promptText('Query'),
    country: countryOf(searchCountries).default('US'),
    ...spot,
    device,
    pages,
    include: includeFlags({ html: flag, aioverview: overviewWish, paaAioverview: flag }),
  }),
);

const text = z.string().optional();

const organicResult = z.object({
  position: z.int(),
  title: z.string(),
  link: z.string(),
  displayedLink: text,
  snippet: text,
  date: text,
  page: z.int(),
  sitelinks: z.object({ inline: z.array(z.object({ title: z.string(), link: z.string() })) }).optional(),
});

const question = z.object({
  question: z.string(),
  snippet: text,
  title: text,
  link: text,
  markdown: text,
  sources: z.array(shapes.source).optional(),
  page: z.int(),
});

const ad = z.object({
  position: z.int(),
  blockPosition: z.enum(['top', 'bottom']).optional(),
  type: z.enum(['text', 'product']).optional(),
  title: z.string(),
  url: text,
  displayedUrl: text,
  domain: text,
  description: text,
  category: text,
  store: text,
  imageUrl: text,
  page: z.int().optional(),
  price: shapes.price.optional(),
  oldPrice: shapes.price.optional(),
  sitelinks: z.array(z.object({ url: text, title: z.string(), description: text })).optional(),
});

const shoppingCard = z.object({
  title: z.string(),
  productLink: text,
  category: text,
  store: text,
  thumbnail: text,
  position: z.int().optional(),
  price: shapes.price.optional(),
  oldPrice: shapes.price.optional(),
  rating: z.number().optional(),
  reviews: text,
});

const overview = z.object({
  text: z.string(),
  markdown: text,
  html: text,
  sources: z.array(shapes.source),
  citationPills: z.array(shapes.citationPill),
  videos: z.array(answerVideo).optional(),
  ads: z.array(answerAd).optional(),
});

const result = z.object({
  organicResults: z.array(organicResult),
  peopleAlsoAsk: z.array(question),
  peopleAreSaying: z.array(z.object({ position: z.int(), title: z.string(), link: z.string(), date: text })),
  relatedSearches: z.array(z.object({ query: z.string(), link: z.string() })),
  ads: z.array(ad),
  aioverview: overview.nullable().optional(),
  shoppingCards: z.array(shoppingCard),
  html: z.array(z.string()).optional(),
});

export type GoogleRequest = z.infer<typeof request>;
export type GoogleResult = z.infer<typeof result>;

/**
 * Google Search, as interface.md describes its request and result; price by decisions M1 and M2. Countries: see `searchCountries`. Of AI Overviews
 * Google's own list, support.google.com/websearch/answer/14901683, could not be read. Missing are those that developers.oxylabs.io/api-targets/
 * search-engines/google/ai-overviews names as exceptions (read on 2026-11-28), and Turkey, where a study of 243 countries found none in 2025.
 */
export const googleContract: ProviderContract<GoogleRequest, GoogleResult> = {
  id: 'GOOGLE',
  path: 'google',
  label: 'Google Search',
  models: { google: searchCountries, aioverview: overviewCountries },
  request: request.meta({ id: 'GoogleRequest' }),
  result: result.meta({ id: 'GoogleResult' }),
  baseCredits: 3,
  surcharges({ include, pages }) {
    const items: LineItem[] = [];
    if (include.aioverview) items.push({ item: 'aioverview', credits: 2 });
    if (include.paaAioverview) items.push({ item: 'paaAioverview', credits: 2 });
    if (pages > 1) items.push({ item: 'pages beyond the first', credits: 2 * (pages - 1) });
    return items;
  },
  describe: ({ query, country }) => ({ prompt: query, country }),
};
