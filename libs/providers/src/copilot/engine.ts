import type * as z from 'zod';
import { assistantEngine, type Asked } from '../answer/assistant.js';
import type { Attempt, EngineModule } from '../engine.js';
import { askCapture, captureUrl, mustCapture } from '../formats/capture.js';
import { isOpenaiResponses, readOpenaiResponses } from '../formats/openai-responses.js';
import { copilotContract, type CopilotRequest, type CopilotResult } from './contract.js';
import { isCopilotWeb, readCopilotWeb } from './extract/copilot-web.js';
import { isM365Copilot, readM365Copilot } from './extract/m365-copilot.js';
import { extractResult } from './extract/result.js';
import { askAzure, azureSettings, hasAzure } from './upstreams/azure.js';

const settings = azureSettings.extend({ COPILOT_CAPTURE_URL: captureUrl('Copilot') });
type Settings = z.infer<typeof settings>;

/** Copilot by way of an OpenAI model on Azure that searches Bing, or else of an operator's capture service. */
export const copilotEngine: EngineModule<Settings, CopilotRequest, CopilotResult> = {
  settings,
  create: (settings) =>
    assistantEngine({
      id: copilotContract.id,
      service: 'Azure OpenAI',
      live: hasAzure(settings) || settings.COPILOT_CAPTURE_URL !== undefined,
      formats: [
        { name: 'openai-responses', recognises: isOpenaiResponses, read: readOpenaiResponses },
        { name: 'copilot-web', recognises: isCopilotWeb, read: readCopilotWeb },
        { name: 'm365-copilot', recognises: isM365Copilot, read: readM365Copilot },
      ],
      ask: (attempt) => askUpstream(settings, attempt),
      extractResult,
      everything: { html: false, markdown: true, rawResponse: true },
    }),
};

async function askUpstream(settings: Settings, attempt: Attempt<CopilotRequest>): Promise<Asked> {
  const url = settings.COPILOT_CAPTURE_URL;
  if (mustCapture(attempt, { hasApi: hasAzure(settings), url }))
    return { text: await askCapture({ provider: copilotContract.id, url, attempt }), countryBy: 'capture' };
  return { text: await askAzure(settings, attempt), countryBy: 'field' };
}
