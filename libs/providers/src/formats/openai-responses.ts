import type { UpstreamFailure } from '@overheard/contracts';
import { apiFailure, failureIn } from './api-failure.js';
import { fieldsOf, isRecord, listOf, numberOf, parseJson, textOf, type JsonRecord } from './json.js';
import type { Payloads } from './payloads.js';
import { citationsOf } from './url-citations.js';
import type { AnswerPart, WebAnswer, WebSearch } from './web-answer.js';

/** Reads an answer of the Responses API, in one piece or as the payloads of its stream. */
export async function readOpenaiResponses(payloads: Payloads): Promise<WebAnswer> {
  const streamed = new StreamedResponse();
  let whole: JsonRecord | undefined;
  let refused: UpstreamFailure | undefined;
  for await (const payload of payloads) {
    if (typeof payload.type === 'string') streamed.take(payload);
    else whole ??= payload;
    refused ??= payload.type === 'error' ? apiFailure(payload) : payload.type === undefined ? failureIn(payload) : undefined;
  }
  const { response, output } = streamed.begun ? streamed : inOnePiece(whole);
  const status = textOf(response.status);
  return {
    id: textOf(response.id),
    model: textOf(response.model),
    parts: output.flatMap(partsOf),
    searches: output.flatMap(searchOf),
    country: listOf(response.tools)
      .map((tool) => textOf(fieldsOf(fieldsOf(tool).user_location).country))
      .find(Boolean),
    complete: status === 'completed',
    endedBy: textOf(fieldsOf(response.incomplete_details).reason) ?? (status === 'incomplete' || status === 'cancelled' ? status : undefined),
    failure: refused ?? (status === 'failed' ? apiFailure({ error: response.error }) : undefined),
  };
}

/** Whether a payload is of this format. */
export const isOpenaiResponses = ({ type, object }: JsonRecord): boolean => object === 'response' || /^response\./.test(String(type));

const inOnePiece = (payload: JsonRecord = {}) => ({ response: payload, output: listOf(payload.output).map(fieldsOf) });

/** The response that a stream's events add up to, as far as it came. */
class StreamedResponse {
  begun = false;
  response: JsonRecord = {};
  private readonly finished = new Map<number, JsonRecord>();
  private readonly drafts = new Map<number, Map<number, DraftPart>>();

  take(event: JsonRecord): void {
    this.begun = true;
    const index = numberOf(event.output_index) ?? 0;
    const part = numberOf(event.content_index) ?? 0;
    if (isRecord(event.response)) this.response = event.response;
    else if (event.type === 'response.output_item.done') this.finished.set(index, fieldsOf(event.item));
    else if (event.type === 'response.output_text.delta') this.draft(index, part).text += String(event.delta ?? '');
    else if (event.type === 'response.output_text.annotation.added') this.draft(index, part).annotations.push(event.annotation);
  }

  /** What the last response holds, else what came item by item. */
  get output(): JsonRecord[] {
    const output = listOf(this.response.output).map(fieldsOf);
    if (output.length) return output;
    const drafted = [...this.drafts].map(([index, parts]) => [index, { type: 'message', content: [...parts.values()] }] as const);
    const items = new Map<number, JsonRecord>([...drafted, ...this.finished]);
    return [...items].sort(([a], [b]) => a - b).map(([, item]) => item);
  }

  private draft(index: number, part: number): DraftPart {
    const parts = this.drafts.get(index) ?? new Map<number, DraftPart>();
    const draft = parts.get(part) ?? { type: 'output_text', text: '', annotations: [] };
    this.drafts.set(index, parts.set(part, draft));
    return draft;
  }
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
