import type * as z from 'zod';
import { assistantEngine, type Asked } from '../answer/assistant.js';
import type { Attempt, EngineModule } from '../engine.js';
import { askCapture, captureUrl, mustCapture } from '../formats/capture.js';
import { geminiContract, type GeminiRequest, type GeminiResult } from './contract.js';
import { isGeminiInteractions, readGeminiInteractions } from './extract/gemini-interactions.js';
import { isGemini, readGemini } from './extract/gemini.js';
import { extractResult } from './extract/result.js';
import { askGemini, geminiSettings, hasGemini } from './upstreams/gemini.js';
import { resolveRedirects } from './upstreams/redirects.js';

const settings = geminiSettings.extend({ GEMINI_CAPTURE_URL: captureUrl('Gemini') });
type Settings = z.infer<typeof settings>;

/** Gemini by way of Google's official API, there or on Vertex AI; without a key for it, by way of the operator's capture service. */
export const geminiEngine: EngineModule<Settings, GeminiRequest, GeminiResult> = {
  settings,
  create: (settings) =>
    assistantEngine({
      id: geminiContract.id,
      service: 'Gemini',
      live: hasGemini(settings) || settings.GEMINI_CAPTURE_URL !== undefined,
      formats: [
        { name: 'gemini', recognises: isGemini, read: readGemini },
        { name: 'gemini-interactions', recognises: isGeminiInteractions, read: readGeminiInteractions },
      ],
      ask: (attempt) => askUpstream(settings, attempt),
      complete: async (answer, { route, signal }) => (settings.GEMINI_RESOLVE_REDIRECTS && route === 'live' ? resolveRedirects(answer, signal) : answer),
      extractResult,
      everything: { html: false, markdown: true, rawResponse: true },
    }),
};

async function askUpstream(settings: Settings, attempt: Attempt<GeminiRequest>): Promise<Asked> {
  const url = settings.GEMINI_CAPTURE_URL;
  if (mustCapture(attempt, { hasApi: hasGemini(settings), url }))
    return { text: await askCapture({ provider: geminiContract.id, url, attempt }), countryBy: 'capture' };
  return { text: await askGemini(settings, attempt), countryBy: 'instruction', format: 'gemini' };
}
