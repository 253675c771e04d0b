import type * as z from 'zod';
import { assistantEngine, type Asked } from '../answer/assistant.js';
import type { Attempt, EngineModule } from '../engine.js';
import { askCapture, captureUrl } from '../formats/capture.js';
import { isOpenaiChat } from '../formats/openai-chat.js';
import { perplexityContract, type PerplexityRequest, type PerplexityResult } from './contract.js';
import { isPerplexityWeb, readPerplexityWeb } from './extract/perplexity-web.js';
import { extractResult } from './extract/result.js';
import { readSonar } from './extract/sonar.js';
import { askSonar, sonarSettings } from './upstreams/sonar.js';

const settings = sonarSettings.extend({ PERPLEXITY_CAPTURE_URL: captureUrl('Perplexity') });
type Settings = z.infer<typeof settings>;

/** Perplexity by way of an operator's capture service, which alone shows all of the answer, or else of the Sonar API. */
export const perplexityEngine: EngineModule<Settings, PerplexityRequest, PerplexityResult> = {
  settings,
  create: (settings) =>
    assistantEngine({
      id: perplexityContract.id,
      service: 'Perplexity',
      live: (settings.PERPLEXITY_API_KEY ?? settings.PERPLEXITY_CAPTURE_URL) !== undefined,
      formats: [
        { name: 'perplexity-web', recognises: isPerplexityWeb, read: readPerplexityWeb },
        { name: 'sonar', recognises: isOpenaiChat, read: readSonar },
      ],
      ask: (attempt) => askUpstream(settings, attempt),
      extractResult,
      everything: { html: false, markdown: true, rawResponse: true },
    }),
};

/** The capture service answers whenever there is one (decisions, Which upstream answers); in the sandbox there is. */
async function askUpstream(settings: Settings, attempt: Attempt<PerplexityRequest>): Promise<Asked> {
  const url = settings.PERPLEXITY_CAPTURE_URL;
  if (attempt.route !== 'sandbox' && !url) return { text: await askSonar(settings, attempt), countryBy: 'field' };
  return { text: await askCapture({ provider: perplexityContract.id, url, attempt }), countryBy: 'capture' };
}
