import assert from 'node:assert';
import { UpstreamFailure, type Quality } from '@overheard/contracts';
import type { Attempt, Engine } from '../engine.js';
import type { ArrivingText } from '../formats/http.js';
import type { JsonRecord } from '../formats/json.js';
import { piecesOf } from '../formats/payloads.js';
import { readAnswer, type Format } from '../formats/recognition.js';
import type { WebAnswer } from '../formats/web-answer.js';
import { citationsOf, markdownOf, unresolvedMarks } from './cited-pages.js';
import { htmlPage } from './html-page.js';
import { judgeAnswer, type Evidence } from './quality.js';

interface AssistantRequest {
  prompt: string;
  country: string;
  include: { html: boolean; markdown: boolean; rawResponse: boolean };
}

interface AssistantResult {
  text: string;
  html?: string | undefined;
  sources: unknown[];
}

/** What sets an assistant apart: whom it asks, in which forms that answers, and what of an answer is the result. */
export interface Assistant<Request extends AssistantRequest, Result extends AssistantResult, Read extends WebAnswer> {
  id: string;
  service: string;
  live: boolean;
  /** What none of them recognises is of the first one. */
  formats: readonly Format<Read>[];
  ask(attempt: Attempt<Request>): Promise<Asked>;
  /** Looks up what an answer lacks. */
  complete?(answer: Read, attempt: Attempt<Request>): Promise<Read>;
  /** The result apart from stored HTML; `payloads` are there when `include.rawResponse` is set. */
  extractResult(answer: Read, include: Request['include'], payloads: JsonRecord[]): Result;
  /** All include flags but html, for stored answers. */
  everything: Request['include'];
}

export interface Asked {
  text: ArrivingText;
  countryBy: keyof typeof COUNTRY_BY;
  /** The one format in which this upstream answers, when there is one alone. */
  format?: string;
}

/** Which way the country went, in the words of `quality.country_applied`. */
const COUNTRY_BY = {
  field: 'As a field of the request',
  instruction: 'As a system instruction: the API has no field for the country',
  capture: 'Left to the capture service',
};

/** The engine of an assistant. A live answer, as it arrives, and a stored one are read on the same path. */
export function assistantEngine<Request extends AssistantRequest, Result extends AssistantResult, Read extends WebAnswer>(
  assistant: Assistant<Request, Result, Read>,
): Engine<Request, Result> {
  return {
    service: assistant.service,
    live: assistant.live,

    async ask(attempt) {
      const { prompt, country, include } = attempt.request;
      const kept: JsonRecord[] = [];
      const began = performance.now();
      const { text, format, countryBy } = await assistant.ask(attempt);
      const askedMs = performance.now() - began;
      const read = await readText(assistant, text, format, include.rawResponse ? kept : undefined);
      const completing = performance.now();
      const answer = (await assistant.complete?.(read, attempt)) ?? read;
      const upstreamMs = askedMs + text.waitedMs + performance.now() - completing;
      const result = resultOf(assistant, { answer, include, kept, broken: text.broken });
      const quality = judge(answer, result, { asked: country, applied: answer.country, sent: true, way: COUNTRY_BY[countryBy] });
      const timings = { upstreamMs, parseMs: performance.now() - began - upstreamMs };
      if (include.html) result.html = await attempt.storeHtml(htmlPage({ title: prompt, markdown: markdownOf(answer) }));
      return { result, quality, timings };
    },

    async extract([file], { format, country }) {
      assert(file, 'there is a stored answer');
      const kept: JsonRecord[] = [];
      const answer = await readText(assistant, piecesOf(file.text), format, kept);
      const result = resultOf(assistant, { answer, include: assistant.everything, kept, broken: undefined });
      return { result, quality: judge(answer, result, { asked: country, applied: answer.country, sent: false }) };
    },
  };
}

/** Reads an answer in a format, recognised when none is named. Throws what the upstream said went wrong. */
async function readText<Read extends WebAnswer>(
  { id, formats }: Pick<Assistant<any, any, Read>, 'id' | 'formats'>,
  text: AsyncIterable<string> | Iterable<string>,
  format: string | undefined,
  kept: JsonRecord[] | undefined,
): Promise<Read> {
  const possible = formats.filter(({ name }) => format === undefined || name === format);
  if (!possible.length) throw new Error(`${id} reads ${formats.map(({ name }) => name).join(', ')}, not ${format}`);
  const answer = await readAnswer(text, { formats: possible, kept });
  if (answer.failure) throw answer.failure;
  return answer;
}

interface Finished<Request extends AssistantRequest, Read> {
  answer: Read;
  include: Request['include'];
  kept: JsonRecord[];
  broken: UpstreamFailure | undefined;
}

/** Decision L8: an answer without text is none. */
function resultOf<Request extends AssistantRequest, Result extends AssistantResult, Read extends WebAnswer>(
  { extractResult }: Assistant<Request, Result, Read>,
  { answer, include, kept, broken }: Finished<Request, Read>,
): Result {
  const result = extractResult(answer, include, kept);
  if (!result.text) throw broken ?? new UpstreamFailure('invalid_answer', `The answer has no text (${answer.endedBy ?? 'no reason given'})`);
  return result;
}

function judge(answer: WebAnswer, { text, sources }: AssistantResult, country: Evidence['country']): Quality {
  return judgeAnswer({
    text,
    sources: sources.length,
    feeds: answer.searches.flatMap(({ feeds }) => feeds),
    pills: citationsOf(answer).length,
    unresolved: unresolvedMarks(answer) + (answer.unresolved ?? 0),
    complete: answer.complete,
    endedBy: answer.endedBy,
    country,
  });
}
