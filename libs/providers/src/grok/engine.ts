import type * as z from 'zod';
import { assistantEngine, type Asked } from '../answer/assistant.js';
import type { Attempt, EngineModule } from '../engine.js';
import { askCapture, captureUrl, mustCapture } from '../formats/capture.js';
import { isOpenaiResponses, readOpenaiResponses } from '../formats/openai-responses.js';
import { grokContract, type GrokRequest, type GrokResult } from './contract.js';
import { isGrokWeb, readGrokWeb } from './extract/grok-web.js';
import { extractResult } from './extract/result.js';
import { askXai, xaiSettings } from './upstreams/xai.js';

const settings = xaiSettings.extend({ GROK_CAPTURE_URL: captureUrl('Grok') });
type Settings = z.infer<typeof settings>;

/** Grok by way of xAI's official API; without a key for it, by way of the operator's capture of grok.com. */
export const grokEngine: EngineModule<Settings, GrokRequest, GrokResult> = {
  settings,
  create: (settings) =>
    assistantEngine({
      id: grokContract.id,
      service: 'xAI',
      live: (settings.XAI_API_KEY ?? settings.GROK_CAPTURE_URL) !== undefined,
      formats: [
        // xAI's Responses API is OpenAI's, with calls and citations of its own.
        { name: 'xai-responses', recognises: isOpenaiResponses, read: readOpenaiResponses },
        { name: 'grok-web', recognises: isGrokWeb, read: readGrokWeb },
      ],
      ask: (attempt) => askUpstream(settings, attempt),
      extractResult,
      everything: { html: false, markdown: true, rawResponse: true },
    }),
};

async function askUpstream(settings: Settings, attempt: Attempt<GrokRequest>): Promise<Asked> {
  const { XAI_API_KEY: key, GROK_CAPTURE_URL: url } = settings;
  if (mustCapture(attempt, { hasApi: key !== undefined, url }))
    return { text: await askCapture({ provider: grokContract.id, url, attempt }), countryBy: 'capture', format: 'grok-web' };
  return { text: await askXai(settings, attempt), countryBy: 'instruction', format: 'xai-responses' };
}
