import { countriesWithout, countryOf, flag, includeFlags, promptText, shapes } from '@overheard/contracts';
import * as z from 'zod';
import type { ProviderContract } from '../contract.js';

const countries = countriesWithout(
  ...['AI', 'AQ', 'AS', 'BQ', 'BV', 'BY', 'CC', 'CK', 'CN', 'CU', 'CW', 'CX', 'EH', 'FK', 'GG', 'GI', 'GS', 'GU', 'HK', 'HM', 'IM', 'IO', 'IR', 'JE', 'KP'],
  ...['MO', 'MP', 'MS', 'NF', 'NU', 'PN', 'PR', 'RU', 'SX', 'SY', 'TC', 'TK', 'UM', 'VE', 'VG', 'VI'],
);

const request = z.object({
  prompt: promptText('Prompt'),
  country: countryOf(countries),
  include: includeFlags({ html: flag, markdown: flag, rawResponse: flag, searchQueries: flag, ads: flag, shopping: flag }),
});

const product = shapes.product;

const result = z.object({
  text: z.string(),
  html: z.string().optional(),
  markdown: z.string().optional(),
  model: z.string(),
  sources: z.array(shapes.source.extend({ footnote: z.boolean(), datePublished: z.string().optional() })),
  citationPills: z.array(shapes.citationPill.extend({ datePublished: z.string().optional(), type: z.string().optional() })).optional(),
  rawResponse: z.array(z.looseObject({ type: z.string() })).optional(),
  searchQueries: z.array(z.string()).optional(),
  ads: z
    .array(
      z.object({
        brand: z.object({ name: z.string(), url: z.string().optional(), favicon: z.string().optional() }),
        cards: z.array(z.object({ title: z.string(), body: z.string().optional(), url: z.string().optional(), image: z.string().optional() })),
      }),
    )
    .optional(),
  shoppingCards: z.array(shapes.productCard).optional(),
  inlineProducts: z
    .array(
      z.object({
        product,
        render_as: z.string().optional(),
        details: z
          .object({
            rationale: z.object({ rationale: z.string().optional(), citations: z.array(shapes.rawEvent).optional() }).optional(),
            reviews: z
              .object({
                summary: z.string().optional(),
                reviews: z
                  .array(
                    z.object({
                      source: z.string().optional(),
                      theme: z.string().optional(),
                      summary: z.string().optional(),
                      cite: z.string().optional(),
                      cite_url: z.string().optional(),
                      rating: z.number().optional(),
                      num_reviews: z.number().optional(),
                    }),
                  )
                  .optional(),
              })
              .optional(),
          })
          .optional(),
      }),
    )
    .optional(),
  entities: z.array(z.object({ type: z.string(), name: z.string() })).optional(),
  map: z.array(shapes.mapEntry).optional(),
});

export type ChatgptRequest = z.infer<typeof request>;
export type ChatgptResult = z.infer<typeof result>;

/**
 * ChatGPT, as interface.md describes its request and result; price by decisions M1 and M2. Countries: “ChatGPT and OpenAI API supported
 * countries and territories”, https://help.openai.com/en/articles/7947663, as of 2026-09-02.
 */
export const chatgptContract: ProviderContract<ChatgptRequest, ChatgptResult> = {
  id: 'CHATGPT',
  path: 'chatgpt',
  label: 'ChatGPT',
  models: { chatgpt: countries },
  request: request.meta({ id: 'ChatgptRequest' }),
  result: result.meta({ id: 'ChatgptResult' }),
  baseCredits: 5,
  surcharges({ include }) {
    const extras = include.rawResponse || include.searchQueries || include.ads || include.shopping;
    return extras ? [{ item: 'rawResponse, searchQueries, ads or shopping', credits: 2 }] : [];
  },
  describe: ({ prompt, country }) => ({ prompt, country }),
};
