import { UpstreamFailure } from '@overheard/contracts';
import * as z from 'zod';
import type { Attempt } from '../../engine.js';
import { credential, postJson, type ArrivingText } from '../../formats/http.js';
import type { PerplexityRequest } from '../contract.js';

export const sonarSettings = z.object({
  PERPLEXITY_API_KEY: credential.describe('Key of the Perplexity API; without one and without PERPLEXITY_CAPTURE_URL Perplexity has no upstream'),
  PERPLEXITY_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.perplexity.ai')
    .describe('Address of the Perplexity API, up to and without `/chat/completions`'),
  PERPLEXITY_MODEL: z.string().default('sonar').describe('The Sonar model that answers, such as `sonar` or `sonar-pro`'),
});
export type SonarSettings = z.infer<typeof sonarSettings>;

/** Asks the Sonar API, which always searches the web, from the request's country; gives the stream as it arrives. */
export async function askSonar(settings: SonarSettings, { request, signal }: Attempt<PerplexityRequest>): Promise<ArrivingText> {
  const { PERPLEXITY_API_KEY: key, PERPLEXITY_BASE_URL: baseUrl, PERPLEXITY_MODEL: model } = settings;
  if (!key) throw new UpstreamFailure('rejected_credentials', 'PERPLEXITY_API_KEY is not set');
  return postJson({
    url: `${baseUrl.replace(/\/+$/, '')}/chat/completions`,
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    body: requestBody(request, model),
    signal,
  });
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
