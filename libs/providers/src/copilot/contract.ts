import { countriesWithout, shapes } from '@overheard/contracts';
import * as z from 'zod';
import { commonRequest } from '../common-request.js';
import type { ProviderContract } from '../contract.js';

const countries = countriesWithout('BY', 'CN', 'CU', 'IR', 'KP', 'RU', 'SY');

const request = commonRequest(countries);

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

/**
 * Copilot, by decisions R12, R13 and S17; price by decision M1. Countries: support.microsoft.com, “Supported regions and languages in Microsoft
 * Copilot”, read on 2026-11-28: all but China (Hong Kong has it) and embargoed markets. It does not name those; taken are Cuba, Iran, North
 * Korea and Syria, and Belarus and Russia, where Microsoft sells nothing new since 2022.
 */
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
