import assert from 'node:assert';
import { UpstreamFailure } from '@overheard/contracts';
import * as z from 'zod';
import type { Attempt } from '../../engine.js';
import { countryInstruction } from '../../formats/country-instruction.js';
import { credential, postJson, type ArrivingText } from '../../formats/http.js';
import type { GrokRequest } from '../contract.js';

export const xaiSettings = z.object({
  XAI_API_KEY: credential.describe('Key of the xAI API; without one Grok asks GROK_CAPTURE_URL, or has no upstream'),
  XAI_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.x.ai')
    .describe('Address of the xAI API, with or without its `/v1`'),
  XAI_MODEL: z.string().default('grok-4.3').describe('The xAI model that answers; it has to know the web_search and x_search tools'),
});
export type XaiSettings = z.infer<typeof xaiSettings>;

/** Asks xAI's Responses API, or our stand-in, with searches of the web and of X; gives the stream as it arrives. */
export async function askXai(settings: XaiSettings, { request, route, sandboxUrl, signal }: Attempt<GrokRequest>): Promise<ArrivingText> {
  const { baseUrl, key } = route === 'sandbox' ? sandbox(sandboxUrl) : live(settings);
  return postJson({
    url: `${baseUrl.replace(/(?:\/v1)?\/*$/, '')}/v1/responses`,
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    body: requestBody(request, settings.XAI_MODEL),
    signal,
  });
}

/** xAI's tools take no location over HTTP, so the country is a system instruction. */
const requestBody = ({ prompt, country }: GrokRequest, model: string) => ({
  model,
  input: [
    { role: 'system', content: countryInstruction(country) },
    { role: 'user', content: prompt },
  ],
  tools: [{ type: 'web_search' }, { type: 'x_search' }],
  include: ['web_search_call.action.sources'],
  store: false,
  stream: true,
});

function live({ XAI_API_KEY: key, XAI_BASE_URL: baseUrl }: XaiSettings): { baseUrl: string; key: string } {
  if (!key) throw new UpstreamFailure('rejected_credentials', 'XAI_API_KEY is not set');
  return { baseUrl, key };
}

/** The operator's key is never sent to the sandbox. */
function sandbox(sandboxUrl: string | undefined): { baseUrl: string; key: string } {
  assert(sandboxUrl, 'an attempt by way of the sandbox has its address');
  return { baseUrl: sandboxUrl, key: 'sandbox' };
}
