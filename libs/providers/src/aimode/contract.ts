import { countriesWithout, countryOf, flag, includeFlags, promptText, shapes } from '@overheard/contracts';
import * as z from 'zod';
import type { ProviderContract } from '../contract.js';
import { answerAd, answerVideo, device, oneSpot, spot } from '../search-page.js';

const countries = countriesWithout('CN', 'CU', 'IR', 'KP', 'SY', 'TR');

const request = oneSpot(
  z.object({
    prompt: promptText('Prompt'),
    country: countryOf(countries),
    ...spot,
    device,
    include: includeFlags({ html: flag, markdown: flag }),
  }),
);

const result = z.object({
  text: z.string(),
  html: z.string().optional(),
  markdown: z.string().optional(),
  sources: z.array(shapes.source),
  citationPills: z.array(shapes.citationPill),
  places: z.array(shapes.place).optional(),
  shopping_cards: z.array(shapes.productCard).optional(),
  videos: z.array(answerVideo).optional(),
  ads: z.array(answerAd).optional(),
});

export type AimodeRequest = z.infer<typeof request>;
export type AimodeResult = z.infer<typeof result>;

/**
 * Google AI Mode, by decisions R12, R13 and S18; price by decision M1. Countries: Google's own list, support.google.com/websearch/answer/16011537,
 * could not be read. Missing are those that developers.oxylabs.io/api-targets/search-engines/google/ai-mode names as exceptions (read on
 * 2026-11-28), but for France, where Google tries it out since December 2025.
 */
export const aimodeContract: ProviderContract<AimodeRequest, AimodeResult> = {
  id: 'AIMODE',
  path: 'aimode',
  label: 'Google AI Mode',
  models: { aimode: countries },
  request: request.meta({ id: 'AimodeRequest' }),
  result: result.meta({ id: 'AimodeResult' }),
  baseCredits: 4,
  surcharges: () => [],
  describe: ({ prompt, country }) => ({ prompt, country }),
};
