import assert from 'node:assert';
import { UpstreamFailure, type Quality } from '@overheard/contracts';
import type { z } from 'zod';
import { markdownOf, unresolvedMarks } from '../answer/cited-pages.js';
import { htmlPage } from '../answer/html-page.js';
import { judgeAnswer, type Evidence } from '../answer/quality.js';
import type { Engine, EngineModule } from '../engine.js';
import { askCapture, captureUrl } from '../formats/capture.js';
import { INSTRUCTED } from '../formats/country-instruction.js';
import type { JsonRecord } from '../formats/json.js';
import { readPayloads } from '../formats/payloads.js';
import type { GeminiRequest, GeminiResult } from './contract.js';
import { extractResult } from './extract/result.js';
import { isGeminiInteractions, readGeminiInteractions } from './extract/gemini-interactions.js';
import { readGemini } from './extract/gemini.js';
import type { GroundedAnswer } from './extract/grounded.js';
import { askGemini, geminiSettings } from './upstreams/gemini.js';
import { resolveRedirects } from './upstreams/redirects.js';

const settings = geminiSettings.extend({ GEMINI_CAPTURE_URL: captureUrl('Gemini') });
type Settings = z.infer<typeof settings>;

/** Gemini by way of Google's official API, there or on Vertex AI; without a key for it, by way of the operator's capture service. */
export const geminiEngine: EngineModule<Settings, GeminiRequest, GeminiResult> = { settings, create: createEngine };

const EVERYTHING = { html: false, markdown: true, rawResponse: true };

function createEngine(settings: Settings): Engine<GeminiRequest, GeminiResult> {
  const { GEMINI_API_KEY: key, GEMINI_VERTEX_TOKEN: token, GEMINI_CAPTURE_URL: url } = settings;
  const official = key !== undefined || token !== undefined;
  return {
    service: 'Gemini',
    live: official || url !== undefined,

    async ask(attempt) {
      const { prompt, country, include } = attempt.request;
      const captured = attempt.route === 'live' && !official && url !== undefined;
      const asked = performance.now();
      const { text, broken } = captured ? await askCapture({ provider: 'GEMINI', url, attempt }) : await askGemini(settings, attempt);
      const received = performance.now();
      const read = readAnswer(text, captured ? undefined : 'gemini');
      const resolving = performance.now();
      const answer = settings.GEMINI_RESOLVE_REDIRECTS && attempt.route === 'live' ? await resolveRedirects(read, attempt.signal) : read;
      const resolveMs = performance.now() - resolving;
      const result = extractResult(answer, include);
      if (!result.text) throw broken ?? withoutText(answer);
      const quality = judge(answer, result, { asked: country, applied: answer.country, sent: true, way: captured ? undefined : INSTRUCTED });
      const timings = { upstreamMs: received - asked + resolveMs, parseMs: performance.now() - received - resolveMs };
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

const readers: Record<string, (payloads: JsonRecord[]) => GroundedAnswer> = { gemini: readGemini, 'gemini-interactions': readGeminiInteractions };

/** Reads an answer in a format, recognised when none is named. Throws what the upstream said went wrong. */
function readAnswer(text: string, format: string | undefined): GroundedAnswer {
  const payloads = readPayloads(text);
  const read = readers[format ?? (isGeminiInteractions(payloads) ? 'gemini-interactions' : 'gemini')];
  if (!read) throw new Error(`GEMINI reads ${Object.keys(readers).join(' and ')}, not ${format}`);
  const answer = read(payloads);
  if (answer.failure) throw answer.failure;
  return answer;
}

/** Decision L8. */
const withoutText = ({ endedBy }: GroundedAnswer) => new UpstreamFailure('invalid_answer', `The answer has no text (${endedBy ?? 'no reason given'})`);

function judge(answer: GroundedAnswer, { text, sources, citationPills }: GeminiResult, country: Evidence['country']): Quality {
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
