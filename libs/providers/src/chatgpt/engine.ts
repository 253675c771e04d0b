import type * as z from 'zod';
import { assistantEngine, type Asked } from '../answer/assistant.js';
import type { Attempt, EngineModule } from '../engine.js';
import { askCapture, captureUrl } from '../formats/capture.js';
import { isOpenaiChat, readOpenaiChat } from '../formats/openai-chat.js';
import { isOpenaiResponses, readOpenaiResponses } from '../formats/openai-responses.js';
import { chatgptContract, type ChatgptRequest, type ChatgptResult } from './contract.js';
import { isChatgptWeb, readChatgptWeb } from './extract/chatgpt-web.js';
import { extractResult } from './extract/result.js';
import { askOpenai, openaiSettings } from './upstreams/openai.js';

const settings = openaiSettings.extend({ CHATGPT_CAPTURE_URL: captureUrl('ChatGPT') });
type Settings = z.infer<typeof settings>;

/** ChatGPT by way of OpenAI's official API, and by a capture of its web app for what only that shows. */
export const chatgptEngine: EngineModule<Settings, ChatgptRequest, ChatgptResult> = {
  settings,
  create: (settings) =>
    assistantEngine({
      id: chatgptContract.id,
      service: 'OpenAI',
      live: settings.OPENAI_API_KEY !== undefined || settings.CHATGPT_CAPTURE_URL !== undefined,
      formats: [
        { name: 'openai-responses', recognises: isOpenaiResponses, read: readOpenaiResponses },
        { name: 'openai-chat', recognises: isOpenaiChat, read: readOpenaiChat },
        { name: 'chatgpt-web', recognises: isChatgptWeb, read: readChatgptWeb },
      ],
      ask: (attempt) => askUpstream(settings, attempt),
      extractResult,
      everything: { html: false, markdown: true, rawResponse: true, searchQueries: true, ads: true, shopping: true },
    }),
};

/** Asks the API, or the capture service for what only the web app shows, as far as both are there (decisions, Which upstream answers). */
async function askUpstream(settings: Settings, attempt: Attempt<ChatgptRequest>): Promise<Asked> {
  const { include } = attempt.request;
  const { CHATGPT_CAPTURE_URL: url, OPENAI_API_KEY: key } = settings;
  const [hasApi, hasCapture] = attempt.route === 'sandbox' ? [true, true] : [key !== undefined, url !== undefined];
  const byCapture = hasCapture && (!hasApi || include.shopping || include.ads);
  if (byCapture) return { text: await askCapture({ provider: chatgptContract.id, url, attempt }), countryBy: 'capture' };
  return { text: await askOpenai(settings, attempt), countryBy: 'field' };
}
