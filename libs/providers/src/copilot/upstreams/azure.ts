import assert from 'node:assert';
import { UpstreamFailure } from '@overheard/contracts';
import * as z from 'zod';
import type { Attempt } from '../../engine.js';
import { credential, postJson, type ArrivingText } from '../../formats/http.js';
import type { CopilotRequest } from '../contract.js';

export const azureSettings = z.object({
  AZURE_OPENAI_API_KEY: credential.describe('Key of an Azure OpenAI resource; with its endpoint it answers for Copilot'),
  AZURE_OPENAI_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address of the Azure OpenAI resource, such as https://name.openai.azure.com'),
  AZURE_OPENAI_DEPLOYMENT: z.string().default('gpt-4.1').describe('The deployment that answers; its model has to know the web_search_preview tool'),
});
export type AzureSettings = z.infer<typeof azureSettings>;

/** Whether an operator has a resource of their own. */
export const hasAzure = ({ AZURE_OPENAI_API_KEY: key, AZURE_OPENAI_ENDPOINT: endpoint }: AzureSettings): boolean => key !== undefined && endpoint !== undefined;

/** Asks Azure's Responses API, or our stand-in, with a search of Bing from the request's country; gives the stream as it arrives. */
export async function askAzure(settings: AzureSettings, { request, route, sandboxUrl, signal }: Attempt<CopilotRequest>): Promise<ArrivingText> {
  const { endpoint, key } = route === 'sandbox' ? sandbox(sandboxUrl) : live(settings);
  return postJson({
    // The portal shows the endpoint with and without the path of the API.
    url: `${endpoint.replace(/\/+$/, '').replace(/\/openai(?:\/v1)?$/, '')}/openai/v1/responses`,
    headers: { 'api-key': key, accept: 'text/event-stream' },
    body: requestBody(request, settings.AZURE_OPENAI_DEPLOYMENT),
    signal,
  });
}

const requestBody = ({ prompt, country }: CopilotRequest, deployment: string) => ({
  model: deployment,
  input: [{ role: 'user', content: prompt }],
  tools: [{ type: 'web_search_preview', user_location: { type: 'approximate', country } }],
  // It is the only tool, so that an answer without a search is impossible.
  tool_choice: 'required',
  store: false,
  stream: true,
});

function live({ AZURE_OPENAI_API_KEY: key, AZURE_OPENAI_ENDPOINT: endpoint }: AzureSettings): { endpoint: string; key: string } {
  if (!key || !endpoint) throw new UpstreamFailure('rejected_credentials', 'AZURE_OPENAI_API_KEY or AZURE_OPENAI_ENDPOINT is not set');
  return { endpoint, key };
}

/** The operator's key is never sent to the sandbox. */
function sandbox(sandboxUrl: string | undefined): { endpoint: string; key: string } {
  assert(sandboxUrl, 'an attempt by way of the sandbox has its address');
  return { endpoint: sandboxUrl, key: 'sandbox' };
}
