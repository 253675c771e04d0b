import { countriesWithout, shapes } from '@overheard/contracts';
import * as z from 'zod';
import { commonRequest } from '../common-request.js';
import type { ProviderContract } from '../contract.js';

const countries = countriesWithout('CN', 'CU', 'IR', 'KP', 'MM', 'RU', 'SY', 'TM', 'VE');

const request = commonRequest(countries);

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

/**
 * Grok, as interface.md describes its request and result; price by decision M1. Countries: xAI publishes no list (looked for on 2026-11-28).
 * Missing are those under a comprehensive embargo of the United States, where it has its seat (Cuba, Iran, North Korea, Syria), and those that
 * block X, which Grok is part of (China, Myanmar, Russia, Turkmenistan, Venezuela).
 */
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
