import assert from 'node:assert';
import { UpstreamFailure, type Quality } from '@overheard/contracts';
import type { z } from 'zod';
import { citationsOf, markdownOf, unresolvedMarks } from '../answer/cited-pages.js';
import { htmlPage } from '../answer/html-page.js';
import { judgeAnswer, type Evidence } from '../answer/quality.js';
import type { Engine, EngineModule } from '../engine.js';
import { askCapture, captureUrl } from '../formats/capture.js';
import { INSTRUCTED } from '../formats/country-instruction.js';
import type { JsonRecord } from '../formats/json.js';
import { readOpenaiResponses } from '../formats/openai-responses.js';
import { readPayloads } from '../formats/payloads.js';
import type { GrokRequest, GrokResult } from './contract.js';
import { extractResult } from './extract/result.js';
import { isGrokWeb, readGrokWeb, type GrokAnswer } from './extract/grok-web.js';
import { askXai, xaiSettings } from './upstreams/xai.js';

const settings = xaiSettings.extend({ GROK_CAPTURE_URL: captureUrl('Grok') });
type Settings = z.infer<typeof settings>;

/** Grok by way of xAI's official API; without a key for it, by way of the operator's capture of grok.com. */
export const grokEngine: EngineModule<Settings, GrokRequest, GrokResult> = { settings, create: createEngine };

const EVERYTHING = { html: false, markdown: true, rawResponse: true };

function createEngine(settings: Settings): Engine<GrokRequest, GrokResult> {
  const { XAI_API_KEY: key, GROK_CAPTURE_URL: url } = settings;
  return {
    service: 'xAI',
    live: key !== undefined || url !== undefined,

    async ask(attempt) {
      const { prompt, country, include } = attempt.request;
      const captured = attempt.route === 'live' && key === undefined && url !== undefined;
      const asked = performance.now();
      const { text, broken } = captured ? await askCapture({ provider: 'GROK', url, attempt }) : await askXai(settings, attempt);
      const received = performance.now();
      const answer = readAnswer(text, captured ? 'grok-web' : 'xai-responses');
      const result = extractResult(answer, include);
      if (!result.text) throw broken ?? withoutText(answer);
      const quality = judge(answer, result, { asked: country, applied: answer.country, sent: true, way: captured ? undefined : INSTRUCTED });
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

/** xAI's Responses API is OpenAI's, with calls and citations of its own; every payload is an event to tell. */
const readXai = (payloads: JsonRecord[]): GrokAnswer => ({ ...readOpenaiResponses(payloads), events: payloads });

const readers: Record<string, (payloads: JsonRecord[]) => GrokAnswer> = { 'xai-responses': readXai, 'grok-web': readGrokWeb };

/** Reads an answer in a format, recognised when none is named. Throws what the upstream said went wrong. */
function readAnswer(text: string, format: string | undefined): GrokAnswer {
  const payloads = readPayloads(text);
  const read = readers[format ?? (isGrokWeb(payloads) ? 'grok-web' : 'xai-responses')];
  if (!read) throw new Error(`GROK reads ${Object.keys(readers).join(' and ')}, not ${format}`);
  const answer = read(payloads);
  if (answer.failure) throw answer.failure;
  return answer;
}

/** Decision L8. */
const withoutText = ({ endedBy }: GrokAnswer) => new UpstreamFailure('invalid_answer', `The answer has no text (${endedBy ?? 'no reason given'})`);

function judge(answer: GrokAnswer, { text, sources }: GrokResult, country: Evidence['country']): Quality {
  return judgeAnswer({
    text,
    sources: sources.length,
    pills: citationsOf(answer).length,
    unresolved: unresolvedMarks(answer) + (answer.unresolved ?? 0),
    complete: answer.complete,
    endedBy: answer.endedBy,
    country,
  });
}
