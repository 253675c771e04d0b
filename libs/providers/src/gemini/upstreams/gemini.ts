import assert from 'node:assert';
import { UpstreamFailure } from '@overheard/contracts';
import * as z from 'zod';
import type { Attempt } from '../../engine.js';
import { countryInstruction } from '../../formats/country-instruction.js';
import { credential, postJson, type ArrivingText } from '../../formats/http.js';
import type { GeminiRequest } from '../contract.js';

export const geminiSettings = z.object({
  GEMINI_API_KEY: credential.describe(
    'Key of the Gemini API, or of Vertex AI with its address; without one Gemini asks GEMINI_CAPTURE_URL, or has no upstream',
  ),
  GEMINI_VERTEX_TOKEN: credential.describe('OAuth access token for Vertex AI, used in place of a key; Google lets it expire within hours'),
  GEMINI_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://generativelanguage.googleapis.com/v1beta')
    .describe(
      'Address of the Gemini API up to and without `/models`; for Vertex AI `https://aiplatform.googleapis.com/v1/projects/PROJECT/locations/LOCATION/publishers/google`',
    ),
  GEMINI_MODEL: z.string().default('gemini-2.5-flash').describe('The Gemini model that answers; it has to know the google_search tool'),
  GEMINI_RESOLVE_REDIRECTS: z
    .stringbool()
    .default(false)
    .describe('Whether to look up where the redirects lead that Google gives in place of its sources’ addresses'),
});
export type GeminiSettings = z.infer<typeof geminiSettings>;

/** Whether an operator has access of their own. */
export const hasGemini = ({ GEMINI_API_KEY: key, GEMINI_VERTEX_TOKEN: token }: GeminiSettings): boolean => (key ?? token) !== undefined;

/** Asks the Gemini API, Vertex AI, or our stand-in, with Google Search; gives the stream as it arrives. */
export async function askGemini(settings: GeminiSettings, { request, route, sandboxUrl, signal }: Attempt<GeminiRequest>): Promise<ArrivingText> {
  const { baseUrl, headers } = route === 'sandbox' ? sandbox(sandboxUrl) : live(settings);
  return postJson({
    url: `${baseUrl.replace(/\/+$/, '')}/models/${encodeURIComponent(settings.GEMINI_MODEL)}:streamGenerateContent?alt=sse`,
    headers: { ...headers, accept: 'text/event-stream' },
    body: requestBody(request),
    signal,
  });
}

/** Google Search takes no country, so that is a system instruction. */
const requestBody = ({ prompt, country }: GeminiRequest) => ({
  system_instruction: { parts: [{ text: countryInstruction(country) }] },
  contents: [{ role: 'user', parts: [{ text: prompt }] }],
  tools: [{ google_search: {} }],
});

interface Access {
  baseUrl: string;
  headers: Record<string, string>;
}

function live({ GEMINI_BASE_URL: baseUrl, GEMINI_API_KEY: key, GEMINI_VERTEX_TOKEN: token }: GeminiSettings): Access {
  if (token) return { baseUrl, headers: { authorization: `Bearer ${token}` } };
  if (!key) throw new UpstreamFailure('rejected_credentials', 'GEMINI_API_KEY is not set');
  return { baseUrl, headers: { 'x-goog-api-key': key } };
}

/** The operator's key is never sent to the sandbox. */
function sandbox(sandboxUrl: string | undefined): Access {
  assert(sandboxUrl, 'an attempt by way of the sandbox has its address');
  return { baseUrl: `${sandboxUrl.replace(/\/+$/, '')}/v1beta`, headers: { 'x-goog-api-key': 'sandbox' } };
}
