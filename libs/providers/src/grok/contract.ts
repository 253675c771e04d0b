import { countriesWithout, countryOf, flag, includeFlags, promptText, shapes } from '@overheard/contracts';
import { z } from 'zod';
import type { ProviderContract } from '../contract.js';

const countries = countriesWithout('BY', 'CN', 'CU', 'IR', 'KP', 'RU', 'SY', 'VE');

const request = z.object({
  prompt: promptText('Prompt'),
  country: countryOf(countries),
  include: includeFlags({ html: flag, markdown: flag, rawResponse: flag }),
});

const result = z.object({
  text: z.string(),
  html: z.string().optional(),
  markdown: z.string().optional(),
  rawResponse: z.array(shapes.rawEvent).optional(),
  sources: z.array(
    shapes.source.extend({
      preview: z.string().optional(),
      searchEngineText: z.string().optional(),
      siteName: z.string().optional(),
      metadataTitle: z.string().optional(),
      creator: z.string().optional(),
      image: z.string().optional(),
      favicon: z.string().optional(),
    }),
  ),
  searchQueries: z.array(z.string()),
  model: z.string(),
});

export type GrokRequest = z.infer<typeof request>;
export type GrokResult = z.infer<typeof result>;

/** Grok, as interface.md describes its request and result; price by decision M1. */
export const grokContract: ProviderContract<GrokRequest, GrokResult> = {
  id: 'GROK',
  path: 'grok',
  label: 'Grok',
  models: { grok: countries },
  request: request.meta({ id: 'GrokRequest' }),
  result: result.meta({ id: 'GrokResult' }),
  baseCredits: 4,
  surcharges: () => [],
  describe: ({ prompt, country }) => ({ prompt, country }),
};
