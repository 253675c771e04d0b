import { countriesWithout, shapes } from '@overheard/contracts';
import * as z from 'zod';
import { commonRequest } from '../common-request.js';
import type { ProviderContract } from '../contract.js';

const countries = countriesWithout('CN', 'CU', 'IR', 'KP', 'SY');

const request = commonRequest(countries);

const result = z.object({
  text: z.string(),
  html: z.string().optional(),
  markdown: z.string().optional(),
  rawResponse: z.array(shapes.rawEvent).optional(),
  sources: z.array(shapes.source),
  citationPills: z.array(shapes.citationPill),
  related_queries: z.array(z.string()),
  search_model_queries: z.array(z.object({ query: z.string(), engine: z.string(), limit: z.number() })),
  shopping_cards: z.array(shapes.productCard).optional(),
  videos: z.array(shapes.media),
  images: z.array(shapes.media),
  hotels: z.array(shapes.hotel).optional(),
  places: z.array(shapes.place).optional(),
});

export type PerplexityRequest = z.infer<typeof request>;
export type PerplexityResult = z.infer<typeof result>;

/**
 * Perplexity, as interface.md describes its request and result; price by decision M1. Countries: Perplexity publishes no list (looked for on
 * 2026-11-28). Missing are those under a comprehensive embargo of the United States, where it has its seat, and China, which blocks it.
 */
export const perplexityContract: ProviderContract<PerplexityRequest, PerplexityResult> = {
  id: 'PERPLEXITY',
  path: 'perplexity',
  label: 'Perplexity',
  models: { perplexity: countries },
  request: request.meta({ id: 'PerplexityRequest' }),
  result: result.meta({ id: 'PerplexityResult' }),
  baseCredits: 3,
  surcharges: () => [],
  describe: ({ prompt, country }) => ({ prompt, country }),
};
