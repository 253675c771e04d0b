import { UpstreamFailure } from '@overheard/contracts';
import { z } from 'zod';
import type { Attempt } from '../../engine.js';
import { httpFailure } from '../../formats/api-failure.js';
import { postJson, type Exchange } from '../../formats/http.js';
import type { PerplexityRequest } from '../contract.js';

export const sonarSettings = z.object({
  PERPLEXITY_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'Expected printable characters')
    .optional()
    .describe('Key of the Perplexity API; without one and without PERPLEXITY_CAPTURE_URL Perplexity has no upstream'),
  PERPLEXITY_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.perplexity.ai')
    .describe('Address of the Perplexity API, up to and without `/chat/completions`'),
  PERPLEXITY_MODEL: z.string().default('sonar').describe('The Sonar model that answers, such as `sonar` or `sonar-pro`'),
});
export type SonarSettings = z.infer<typeof sonarSettings>;

/** Asks the Sonar API, which always searches the web, from the request's country; gives the stream's text. */
export async function askSonar(settings: SonarSettings, { request, signal }: Attempt<PerplexityRequest>): Promise<Exchange> {
  const { PERPLEXITY_API_KEY: key, PERPLEXITY_BASE_URL: baseUrl, PERPLEXITY_MODEL: model } = settings;
  if (!key) throw new UpstreamFailure('rejected_credentials', 'PERPLEXITY_API_KEY is not set');
  const exchange = await postJson({
    url: `${baseUrl.replace(/\/+$/, '')}/chat/completions`,
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    body: requestBody(request, model),
    signal,
  });
  if (exchange.status < 200 || exchange.status > 299) throw httpFailure(exchange);
  return exchange;
}

const requestBody = ({ prompt, country }: PerplexityRequest, model: string) => ({
  model,
  messages: [{ role: 'user', content: prompt }],
  web_search_options: { user_location: { country } },
  return_images: true,
  return_related_questions: true,
  media_response: { overrides: { return_videos: true } },
  stream: true,
});
