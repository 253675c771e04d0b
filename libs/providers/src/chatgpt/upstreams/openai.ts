import assert from 'node:assert';
import { UpstreamFailure } from '@overheard/contracts';
import * as z from 'zod';
import type { Attempt } from '../../engine.js';
import { credential, postJson, type ArrivingText } from '../../formats/http.js';
import type { ChatgptRequest } from '../contract.js';

export const openaiSettings = z.object({
  OPENAI_API_KEY: credential.describe('Key of the OpenAI API; without it and without CHATGPT_CAPTURE_URL ChatGPT has no upstream'),
  OPENAI_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.openai.com/v1')
    .describe('Address of the OpenAI API, up to and without `/responses`'),
  OPENAI_MODEL: z.string().default('gpt-5').describe('The OpenAI model that answers; it has to know the web_search tool'),
});
export type OpenaiSettings = z.infer<typeof openaiSettings>;

/** Asks the Responses API, or our stand-in, with a search of the web from the request's country; gives the stream as it arrives. */
export async function askOpenai(settings: OpenaiSettings, { request, route, sandboxUrl, signal }: Attempt<ChatgptRequest>): Promise<ArrivingText> {
  const { baseUrl, key } = route === 'sandbox' ? sandbox(sandboxUrl) : live(settings);
  return postJson({
    url: `${baseUrl.replace(/\/+$/, '')}/responses`,
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    body: requestBody(request, settings.OPENAI_MODEL),
    signal,
  });
}

const requestBody = ({ prompt, country }: ChatgptRequest, model: string) => ({
  model,
  input: [{ role: 'user', content: prompt }],
  tools: [{ type: 'web_search', user_location: { type: 'approximate', country } }],
  // It is the only tool, so that an answer without a search is impossible (interface.md: web search is always on).
  tool_choice: 'required',
  include: ['web_search_call.action.sources'],
  store: false,
  stream: true,
});

function live({ OPENAI_API_KEY: key, OPENAI_BASE_URL: baseUrl }: OpenaiSettings): { baseUrl: string; key: string } {
  if (!key) throw new UpstreamFailure('rejected_credentials', 'OPENAI_API_KEY is not set');
  return { baseUrl, key };
}

/** The operator's key is never sent to the sandbox. */
function sandbox(sandboxUrl: string | undefined): { baseUrl: string; key: string } {
  assert(sandboxUrl, 'an attempt by way of the sandbox has its address');
  return { baseUrl: `${sandboxUrl.replace(/\/+$/, '')}/v1`, key: 'sandbox' };
}
