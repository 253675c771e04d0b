import { countriesWithout, shapes } from '@overheard/contracts';
import * as z from 'zod';
import { commonRequest } from '../common-request.js';
import type { ProviderContract } from '../contract.js';

const countries = countriesWithout(
  ...['AF', 'AX', 'BV', 'BY', 'CN', 'CU', 'GF', 'GP', 'HK', 'IR', 'KP', 'MC', 'MD', 'MF', 'MM', 'MO', 'MQ', 'PF', 'RE', 'RU', 'SJ', 'SM', 'SX', 'SY', 'TF'],
  ...['VA', 'YT'],
);

const request = commonRequest(countries);

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

/**
 * Gemini, by decisions R12, R13 and S16; price by decision M1. Countries: “Available regions for Google AI Studio and Gemini API”,
 * https://ai.google.dev/gemini-api/docs/available-regions, as of 2025-11-19, and Andorra, which the page has added since. Kosovo is on it
 * too, but has no ISO code.
 */
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
