import assert from 'node:assert';
import { UpstreamFailure, type Quality } from '@overheard/contracts';
import type { z } from 'zod';
import { markdownOf, unresolvedMarks } from '../answer/cited-pages.js';
import { htmlPage } from '../answer/html-page.js';
import { judgeAnswer, type Evidence } from '../answer/quality.js';
import type { Attempt, Engine, EngineModule } from '../engine.js';
import { askCapture, captureUrl } from '../formats/capture.js';
import type { Exchange } from '../formats/http.js';
import type { JsonRecord } from '../formats/json.js';
import { isOpenaiChat, readOpenaiChat } from '../formats/openai-chat.js';
import { readOpenaiResponses } from '../formats/openai-responses.js';
import { readPayloads } from '../formats/payloads.js';
import type { WebAnswer } from '../formats/web-answer.js';
import type { ChatgptRequest, ChatgptResult } from './contract.js';
import { isChatgptWeb, readChatgptWeb, type ChatgptAnswer } from './extract/chatgpt-web.js';
import { extractResult } from './extract/result.js';
import { askOpenai, openaiSettings } from './upstreams/openai.js';

const settings = openaiSettings.extend({ CHATGPT_CAPTURE_URL: captureUrl('ChatGPT') });
type Settings = z.infer<typeof settings>;

/** ChatGPT by way of OpenAI's official API, and by a capture of its web app for what only that shows. */
export const chatgptEngine: EngineModule<Settings, ChatgptRequest, ChatgptResult> = { settings, create: createEngine };

const EVERYTHING = { html: false, markdown: true, rawResponse: true, searchQueries: true, ads: true, shopping: true };

function createEngine(settings: Settings): Engine<ChatgptRequest, ChatgptResult> {
  return {
    service: 'OpenAI',
    live: settings.OPENAI_API_KEY !== undefined || settings.CHATGPT_CAPTURE_URL !== undefined,

    async ask(attempt) {
      const { prompt, country, include } = attempt.request;
      const asked = performance.now();
      const { text, broken } = await askUpstream(settings, attempt);
      const received = performance.now();
      const answer = readAnswer(text);
      const result = extractResult(answer, include);
      if (!result.text) throw broken ?? withoutText(answer);
      const quality = judge(answer, result, { asked: country, applied: answer.country, sent: true });
      const timings = { upstreamMs: received - asked, parseMs: performance.now() - received };
      if (include.html) result.html = await attempt.storeHtml(htmlPage({ title: prompt, markdown: markdownOf(answer) }));
      return { result, quality, timings };
    },

    async extract([file], { format, country }) {
      assert(file, 'there is a stored answer');
      const answer = readAnswer(file.text, format);
      const result = extractResult(answer, EVERYTHING);
      if (!result.text) throw withoutText(answer);
      return { result, quality: judge(answer, result, { asked: country, applied: answer.country, sent: false }) };
    },
  };
}

/** Asks the API, or the capture service for what only the web app shows, as far as both are there (decisions, Which upstream answers). */
function askUpstream(settings: Settings, attempt: Attempt<ChatgptRequest>): Promise<Exchange> {
  const { include } = attempt.request;
  const { CHATGPT_CAPTURE_URL: url, OPENAI_API_KEY: key } = settings;
  const [hasApi, hasCapture] = attempt.route === 'sandbox' ? [true, true] : [key !== undefined, url !== undefined];
  const byCapture = hasCapture && (!hasApi || include.shopping || include.ads);
  return byCapture ? askCapture({ provider: 'CHATGPT', url, attempt }) : askOpenai(settings, attempt);
}

const readers: Record<string, (payloads: JsonRecord[]) => ChatgptAnswer> = {
  'openai-responses': readOpenaiResponses,
  'openai-chat': readOpenaiChat,
  'chatgpt-web': readChatgptWeb,
};

const formatOf = (payloads: JsonRecord[]): string => (isOpenaiChat(payloads) ? 'openai-chat' : isChatgptWeb(payloads) ? 'chatgpt-web' : 'openai-responses');

/** Reads an answer in a format, recognised when none is named. Throws what the upstream said went wrong. */
function readAnswer(text: string, format?: string): ChatgptAnswer {
  const payloads = readPayloads(text);
  const read = readers[format ?? formatOf(payloads)];
  if (!read) throw new Error(`CHATGPT reads ${Object.keys(readers).join(', ')}, not ${format}`);
  const answer = read(payloads);
  if (answer.failure) throw answer.failure;
  return answer;
}

/** Decision L8. */
const withoutText = ({ endedBy }: WebAnswer) => new UpstreamFailure('invalid_answer', `The answer has no text (${endedBy ?? 'no reason given'})`);

function judge(answer: WebAnswer, { text, sources, citationPills = [] }: ChatgptResult, country: Evidence['country']): Quality {
  return judgeAnswer({
    text,
    sources: sources.length,
    feeds: answer.searches.flatMap(({ feeds }) => feeds),
    pills: citationPills.length,
    unresolved: unresolvedMarks(answer),
    complete: answer.complete,
    endedBy: answer.endedBy,
    country,
  });
}
