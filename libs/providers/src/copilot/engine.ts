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
import { readOpenaiResponses } from '../formats/openai-responses.js';
import { readPayloads } from '../formats/payloads.js';
import { copilotContract, type CopilotRequest, type CopilotResult } from './contract.js';
import type { CopilotAnswer } from './extract/answer.js';
import { isCopilotWeb, readCopilotWeb } from './extract/copilot-web.js';
import { isM365Copilot, readM365Copilot } from './extract/m365-copilot.js';
import { extractResult } from './extract/result.js';
import { askAzure, azureSettings, hasAzure } from './upstreams/azure.js';

const settings = azureSettings.extend({ COPILOT_CAPTURE_URL: captureUrl('Copilot') });
type Settings = z.infer<typeof settings>;

/** Copilot by way of an OpenAI model on Azure that searches Bing, or else of an operator's capture service. */
export const copilotEngine: EngineModule<Settings, CopilotRequest, CopilotResult> = { settings, create: createEngine };

const EVERYTHING = { html: false, markdown: true, rawResponse: true };

function createEngine(settings: Settings): Engine<CopilotRequest, CopilotResult> {
  return {
    service: 'Azure OpenAI',
    live: hasAzure(settings) || settings.COPILOT_CAPTURE_URL !== undefined,

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

/** The API answers whenever it can (decisions, Which upstream answers); in the sandbox it can. */
function askUpstream(settings: Settings, attempt: Attempt<CopilotRequest>): Promise<Exchange> {
  const url = settings.COPILOT_CAPTURE_URL;
  const byCapture = attempt.route === 'live' && url !== undefined && !hasAzure(settings);
  return byCapture ? askCapture({ provider: copilotContract.id, url, attempt }) : askAzure(settings, attempt);
}

const readers: Record<string, (payloads: JsonRecord[]) => CopilotAnswer> = {
  'openai-responses': readAzure,
  'copilot-web': readCopilotWeb,
  'm365-copilot': readM365Copilot,
};

/** An answer in one piece is its own only event. */
function readAzure(payloads: JsonRecord[]): CopilotAnswer {
  const answer = readOpenaiResponses(payloads);
  return answer.events.length ? answer : { ...answer, events: payloads };
}

const formatOf = (payloads: JsonRecord[]): string => (isM365Copilot(payloads) ? 'm365-copilot' : isCopilotWeb(payloads) ? 'copilot-web' : 'openai-responses');

/** Reads an answer in a format, recognised when none is named. Throws what the upstream said went wrong. */
function readAnswer(text: string, format?: string): CopilotAnswer {
  const payloads = readPayloads(text);
  const read = readers[format ?? formatOf(payloads)];
  if (!read) throw new Error(`COPILOT reads ${Object.keys(readers).join(', ')}, not ${format}`);
  const answer = read(payloads);
  if (answer.failure) throw answer.failure;
  return answer;
}

/** Decision L8. */
const withoutText = ({ endedBy }: CopilotAnswer) => new UpstreamFailure('invalid_answer', `The answer has no text (${endedBy ?? 'no reason given'})`);

function judge(answer: CopilotAnswer, { text, sources, citationPills }: CopilotResult, country: Evidence['country']): Quality {
  return judgeAnswer({
    text,
    sources: sources.length,
    feeds: answer.searches.flatMap(({ feeds }) => feeds),
    pills: citationPills.length,
    unresolved: unresolvedMarks(answer) + (answer.unresolved ?? 0),
    complete: answer.complete,
    endedBy: answer.endedBy,
    country,
  });
}
