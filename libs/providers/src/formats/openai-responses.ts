import type { UpstreamFailure } from '@overheard/contracts';
import { apiFailure } from './api-failure.js';
import { fieldsOf, isRecord, listOf, numberOf, parseJson, textOf, type JsonRecord } from './json.js';
import { citationsOf } from './url-citations.js';
import type { AnswerPart, WebAnswer, WebSearch } from './web-answer.js';

/** Reads an answer of the Responses API, in one piece or as the payloads of its stream. */
export function readOpenaiResponses(payloads: JsonRecord[]): WebAnswer {
  const events = payloads.filter(({ type }) => typeof type === 'string');
  const { response, output } = events.length ? assembled(events) : inOnePiece(payloads[0]);
  const status = textOf(response.status);
  return {
    id: textOf(response.id),
    model: textOf(response.model),
    parts: output.flatMap(partsOf),
    searches: output.flatMap(searchOf),
    country: listOf(response.tools)
      .map((tool) => textOf(fieldsOf(fieldsOf(tool).user_location).country))
      .find(Boolean),
    events,
    complete: status === 'completed',
    endedBy: textOf(fieldsOf(response.incomplete_details).reason) ?? (status === 'incomplete' || status === 'cancelled' ? status : undefined),
    failure: failureOf(payloads, response),
  };
}

const inOnePiece = (payload: JsonRecord = {}) => ({ response: payload, output: listOf(payload.output).map(fieldsOf) });

/** The response that a stream's events add up to, as far as it came. */
function assembled(events: JsonRecord[]): { response: JsonRecord; output: JsonRecord[] } {
  let response: JsonRecord = {};
  const items = new Map<number, JsonRecord>();
  const drafts = new Map<number, Map<number, DraftPart>>();
  for (const event of events) {
    const item = numberOf(event.output_index) ?? 0;
    const draft = () => draftOf(drafts, item, numberOf(event.content_index) ?? 0);
    if (isRecord(event.response)) response = event.response;
    else if (event.type === 'response.output_item.done') items.set(item, fieldsOf(event.item));
    else if (event.type === 'response.output_text.delta') draft().text += String(event.delta ?? '');
    else if (event.type === 'response.output_text.annotation.added') draft().annotations.push(event.annotation);
  }
  for (const [item, content] of drafts) if (!items.has(item)) items.set(item, { type: 'message', content: [...content.values()] });
  const output = listOf(response.output).map(fieldsOf);
  return { response, output: output.length ? output : [...items].sort(([a], [b]) => a - b).map(([, item]) => item) };
}

function draftOf(drafts: Map<number, Map<number, DraftPart>>, item: number, part: number): DraftPart {
  const content = drafts.get(item) ?? new Map<number, DraftPart>();
  const draft = content.get(part) ?? { type: 'output_text', text: '', annotations: [] };
  drafts.set(item, content.set(part, draft));
  return draft;
}

/** A part of a message that has not been finished yet. */
interface DraftPart {
  type: 'output_text';
  text: string;
  annotations: unknown[];
}

function partsOf(item: JsonRecord): AnswerPart[] {
  if (item.type !== 'message') return [];
  return listOf(item.content)
    .map(fieldsOf)
    .filter(({ type, text }) => type === 'output_text' && textOf(text))
    .map((part) => ({ text: part.text as string, citations: citationsOf(part.annotations, part.text as string) }));
}

function searchOf(item: JsonRecord): WebSearch[] {
  const action = fieldsOf(item.action);
  const single = textOf(action.query) ?? queryInArguments(item);
  if (single === undefined && (item.type !== 'web_search_call' || action.type !== 'search')) return [];
  const queries = listOf(action.queries).filter(textOf) as string[];
  const sources = listOf(action.sources).map(fieldsOf);
  return [
    {
      queries: queries.length || !single ? queries : [single],
      pages: sources.flatMap(({ url, title }) => (textOf(url) ? [{ url: url as string, title: textOf(title) }] : [])),
      feeds: sources.flatMap(({ url, name }) => (!textOf(url) && textOf(name) ? [name as string] : [])),
    },
  ];
}

/** xAI writes what was searched for as JSON in a text: in older answers of its web search, in `custom_tool_call`s of its X search. */
function queryInArguments({ type, arguments: args, input }: JsonRecord): string | undefined {
  if (!/^(?:web_search|x_search|custom_tool)_call$/.test(String(type))) return undefined;
  return textOf(fieldsOf(parseJson(textOf(args) ?? textOf(input) ?? '')).query);
}

/** An error body, an `error` event, or a response that failed; also inside a stream that began with status 200. */
function failureOf(payloads: JsonRecord[], response: JsonRecord): UpstreamFailure | undefined {
  const refused = payloads.find(({ type, error }) => type === 'error' || (type === undefined && (isRecord(error) || textOf(error))));
  if (refused) return apiFailure(refused);
  return response.status === 'failed' ? apiFailure({ error: response.error }) : undefined;
}
