import { countryOf, flag, includeFlags, promptText } from '@overheard/contracts';
import * as z from 'zod';
import type { ProviderContract } from '../contract.js';
import { device, pages, searchCountries } from '../search-page.js';

const request = z.object({
  query: promptText('Query'),
  country: countryOf(searchCountries).default('US'),
  device,
  pages,
  include: includeFlags({ html: flag }),
});

const newsResult = z.object({
  position: z.int(),
  title: z.string(),
  link: z.string(),
  snippet: z.string().optional(),
  source: z.string(),
  date: z.string().optional(),
  page: z.int(),
  thumbnail: z.string().optional(),
});

const result = z.object({ newsResults: z.array(newsResult), html: z.array(z.string()).optional() });

export type GoogleNewsRequest = z.infer<typeof request>;
export type GoogleNewsResult = z.infer<typeof result>;

/** Google News, as interface.md describes its request and result; price by decisions M1 and M2: pages are free. */
export const googleNewsContract: ProviderContract<GoogleNewsRequest, GoogleNewsResult> = {
  id: 'GOOGLE_NEWS',
  path: 'google/news',
  label: 'Google News',
  // interface.md knows no model name for news; its countries are those of the search model, and rest on the same.
  models: {},
  request: request.meta({ id: 'GoogleNewsRequest' }),
  result: result.meta({ id: 'GoogleNewsResult' }),
  baseCredits: 3,
  surcharges: () => [],
  describe: ({ query, country }) => ({ prompt: query, country }),
};
