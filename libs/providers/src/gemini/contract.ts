import { countriesWithout, countryOf, flag, includeFlags, promptText, shapes } from '@overheard/contracts';
import { z } from 'zod';
import type { ProviderContract } from '../contract.js';

const countries = countriesWithout('BY', 'CN', 'CU', 'HK', 'IR', 'KP', 'MO', 'RU', 'SY');

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
  model: z.string(),
  sources: z.array(shapes.source.extend({ confidence_level: z.number().min(0).max(100).optional() })),
  citationPills: z.array(shapes.citationPill),
  searchQueries: z.array(z.string()),
  places: z.array(shapes.place).optional(),
});

export type GeminiRequest = z.infer<typeof request>;
export type GeminiResult = z.infer<typeof result>;

/** Gemini, by decisions R12, R13 and S16; price by decision M1. */
export const geminiContract: ProviderContract<GeminiRequest, GeminiResult> = {
  id: 'GEMINI',
  path: 'gemini',
  label: 'Gemini',
  models: { gemini: countries },
  request: request.meta({ id: 'GeminiRequest' }),
  result: result.meta({ id: 'GeminiResult' }),
  baseCredits: 4,
  surcharges: () => [],
  describe: ({ prompt, country }) => ({ prompt, country }),
};
