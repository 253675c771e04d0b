import assert from 'node:assert';
import { UpstreamFailure, type Quality } from '@overheard/contracts';
import { markdownOf, unresolvedMarks } from '../answer/cited-pages.js';
import { htmlPage } from '../answer/html-page.js';
import { judgeAnswer, type Evidence } from '../answer/quality.js';
import type { Engine, EngineModule } from '../engine.js';
import { isOpenaiChat, readOpenaiChat } from '../formats/openai-chat.js';
import { readOpenaiResponses } from '../formats/openai-responses.js';
import { readPayloads } from '../formats/payloads.js';
import type { WebAnswer } from '../formats/web-answer.js';
import type { ChatgptRequest, ChatgptResult } from './contract.js';
import { extractResult } from './extract/result.js';
import { askOpenai, openaiSettings, type OpenaiSettings } from './upstreams/openai.js';

/** ChatGPT by way of OpenAI's official API. */
export const chatgptEngine: EngineModule<OpenaiSettings, ChatgptRequest, ChatgptResult> = { settings: openaiSettings, create: createEngine };

const EVERYTHING = { html: false, markdown: true, rawResponse: true, searchQueries: true, ads: true, shopping: true };

function createEngine(settings: OpenaiSettings): Engine<ChatgptRequest, ChatgptResult> {
  return {
    service: 'OpenAI',
    live: settings.OPENAI_API_KEY !== undefined,

    async ask(attempt) {
      const { prompt, country, include } = attempt.request;
      const asked = performance.now();
      const { text, broken } = await askOpenai(settings, attempt);
      const received = performance.now();
      const answer = readAnswer(text, 'openai-responses');
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

const readers: Record<string, typeof readOpenaiResponses> = { 'openai-responses': readOpenaiResponses, 'openai-chat': readOpenaiChat };

/** Reads an answer in a format, recognised when none is named. Throws what the upstream said went wrong. */
function readAnswer(text: string, format: string | undefined): WebAnswer {
  const payloads = readPayloads(text);
  const read = readers[format ?? (isOpenaiChat(payloads) ? 'openai-chat' : 'openai-responses')];
  if (!read) throw new Error(`CHATGPT reads ${Object.keys(readers).join(' and ')}, not ${format}`);
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
