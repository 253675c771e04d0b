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
import { isOpenaiChat } from '../formats/openai-chat.js';
import { readPayloads } from '../formats/payloads.js';
import { perplexityContract, type PerplexityRequest, type PerplexityResult } from './contract.js';
import type { PerplexityAnswer } from './extract/answer.js';
import { readPerplexityWeb } from './extract/perplexity-web.js';
import { extractResult } from './extract/result.js';
import { readSonar } from './extract/sonar.js';
import { askSonar, sonarSettings } from './upstreams/sonar.js';

const settings = sonarSettings.extend({ PERPLEXITY_CAPTURE_URL: captureUrl('Perplexity') });
type Settings = z.infer<typeof settings>;

/** Perplexity by way of an operator's capture service, which alone shows all of the answer, or else of the Sonar API. */
export const perplexityEngine: EngineModule<Settings, PerplexityRequest, PerplexityResult> = { settings, create: createEngine };

const EVERYTHING = { html: false, markdown: true, rawResponse: true };

function createEngine(settings: Settings): Engine<PerplexityRequest, PerplexityResult> {
  return {
    service: 'Perplexity',
    live: (settings.PERPLEXITY_API_KEY ?? settings.PERPLEXITY_CAPTURE_URL) !== undefined,

    async ask(attempt) {
      const { prompt, country, include } = attempt.request;
      const asked = performance.now();
      const { text, broken, way } = await askUpstream(settings, attempt);
      const received = performance.now();
      const answer = readAnswer(text);
      const result = extractResult(answer, include);
      if (!result.text) throw broken ?? withoutText(answer);
      const quality = judge(answer, result, { asked: country, applied: answer.country, sent: true, way });
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

/** The capture service answers whenever there is one (decisions, Which upstream answers); in the sandbox there is. */
async function askUpstream(settings: Settings, attempt: Attempt<PerplexityRequest>): Promise<Exchange & { way?: string }> {
  const url = settings.PERPLEXITY_CAPTURE_URL;
  if (attempt.route !== 'sandbox' && !url) return askSonar(settings, attempt);
  return { ...(await askCapture({ provider: perplexityContract.id, url, attempt })), way: 'Left to the capture service' };
}

const readers: Record<string, (payloads: JsonRecord[]) => PerplexityAnswer> = { sonar: readSonar, 'perplexity-web': readPerplexityWeb };

/** Reads an answer in a format, recognised when none is named. Throws what the upstream said went wrong. */
function readAnswer(text: string, format?: string): PerplexityAnswer {
  const payloads = readPayloads(text);
  const read = readers[format ?? (isOpenaiChat(payloads) ? 'sonar' : 'perplexity-web')];
  if (!read) throw new Error(`PERPLEXITY reads ${Object.keys(readers).join(' and ')}, not ${format}`);
  const answer = read(payloads);
  if (answer.failure) throw answer.failure;
  return answer;
}

/** Decision L8. */
const withoutText = ({ endedBy }: PerplexityAnswer) => new UpstreamFailure('invalid_answer', `The answer has no text (${endedBy ?? 'no reason given'})`);

function judge(answer: PerplexityAnswer, { text, sources, citationPills }: PerplexityResult, country: Evidence['country']): Quality {
  return judgeAnswer({
    text,
    sources: sources.length,
    pills: citationPills.length,
    unresolved: answer.unresolved + unresolvedMarks(answer),
    complete: answer.complete,
    endedBy: answer.endedBy,
    country,
  });
}
