import { countriesWithout, countryOf, flag, includeFlags, promptText, shapes } from '@overheard/contracts';
import { z } from 'zod';
import type { ProviderContract } from '../contract.js';

const countries = countriesWithout('BY', 'CN', 'CU', 'IR', 'KP', 'RU', 'SD', 'SY');

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
  sources: z.array(shapes.source),
  citationPills: z.array(shapes.citationPill),
  related_queries: z.array(z.string()).optional(),
  map: z.array(shapes.mapEntry).optional(),
  shoppingCards: z.array(shapes.productCard).optional(),
});

export type CopilotRequest = z.infer<typeof request>;
export type CopilotResult = z.infer<typeof result>;

/** Copilot, by decisions R12, R13 and S17; price by decision M1. */
export const copilotContract: ProviderContract<CopilotRequest, CopilotResult> = {
  id: 'COPILOT',
  path: 'copilot',
  label: 'Copilot',
  models: { copilot: countries },
  request: request.meta({ id: 'CopilotRequest' }),
  result: result.meta({ id: 'CopilotResult' }),
  baseCredits: 5,
  surcharges: () => [],
  describe: ({ prompt, country }) => ({ prompt, country }),
};
