import { createHash } from 'node:crypto';
import type { Mark } from './markdown.js';

// The answering side of the Responses API, as its recordings show it: one complete response, and the events of a stream
// derived from it, so that both always say the same.

type Fields = Record<string, unknown>;
type OutputEntry = Fields & { id: string; type: string };

export interface ResponseObject extends Fields {
  id: string;
  output: OutputEntry[];
}

export interface Search {
  queries: string[];
  sources: Fields[];
}

export interface ResponseDraft {
  /** What the ids are made from, so that the same call always gets the same bytes. */
  seed: string;
  model: string;
  tools: unknown[];
  searches: Search[];
  /** A page the model opened after its searches. */
  openedUrl?: string | undefined;
  text: string;
  marks: Mark[];
  /** Calls of other tools, such as a search of posts. */
  toolCalls?: (Fields & { type: string })[];
  /** The url that a citation carries, which may differ from the source's. */
  urlOf(mark: Mark): string;
  /** The title that a citation carries; the source's when absent. */
  titleOf?(mark: Mark): string;
  withSources: boolean;
  /** Bytes of encrypted reasoning to add. */
  paddingBytes: number;
}

/** The complete response, as `stream: false` and the last event of a stream have it. */
export function responseOf(draft: ResponseDraft): ResponseObject {
  const id = (prefix: string, index = 0) => `${prefix}_${createHash('sha256').update(`${draft.seed} ${prefix} ${index}`).digest('hex').slice(0, 48)}`;
  const searches = draft.searches.map(({ queries, sources }) => ({
    type: 'search',
    query: queries[0],
    ...(queries.length > 1 ? { queries } : {}),
    ...(draft.withSources ? { sources } : {}),
  }));
  const actions: Fields[] = [...searches, ...(draft.openedUrl ? [{ type: 'open_page', url: draft.openedUrl }] : [])];
  const calls = actions.map((action, index) => ({ id: id('ws', index), type: 'web_search_call', status: 'completed', action }));
  const annotations = draft.marks.map((mark) => ({
    type: 'url_citation',
    end_index: mark.end,
    start_index: mark.start,
    title: draft.titleOf?.(mark) ?? mark.source.title,
    url: draft.urlOf(mark),
  }));

  return {
    id: id('resp'),
    object: 'response',
    created_at: 1_777_000_000 + (draft.text.length % 1_000_000),
    status: 'completed',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: draft.model,
    output: [
      { id: id('rs'), type: 'reasoning', summary: [] },
      ...calls,
      ...(draft.toolCalls ?? []).map((call, index) => ({ id: id('ctc', index), ...call, status: 'completed' })),
      ...padding(draft.paddingBytes).map((encrypted_content, index) => ({ id: id('rs', index + 1), type: 'reasoning', encrypted_content, summary: [] })),
      {
        id: id('msg'),
        type: 'message',
        status: 'completed',
        content: [{ type: 'output_text', annotations, logprobs: [], text: draft.text }],
        role: 'assistant',
      },
    ],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: 'medium', summary: null },
    service_tier: 'default',
    store: false,
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'auto',
    tools: draft.tools,
    top_p: 1,
    truncation: 'disabled',
    usage: { input_tokens: 4000, output_tokens: draft.text.length >> 2, total_tokens: 4000 + (draft.text.length >> 2) },
    user: null,
    metadata: {},
  };
}

const BLOCK_BYTES = 32 * 1024;
const block = createHash('sha512')
  .update('padding')
  .digest('hex')
  .repeat(BLOCK_BYTES / 128);
/** Text of about so many bytes, in blocks. */
export const padding = (bytes: number): string[] => Array.from({ length: Math.ceil(bytes / BLOCK_BYTES) }, () => block);

/** The events of a stream that ends in this response, in the order that was recorded; xAI tells its citations only after the text. */
export function* eventsOf(response: ResponseObject, { citationsLast = false } = {}): Generator<Fields & { type: string }> {
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  yield { type: 'response.created', response: begun };
  yield { type: 'response.in_progress', response: begun };
  for (const [output_index, entry] of response.output.entries()) {
    yield { type: 'response.output_item.added', output_index, item: beginningOf(entry) };
    if (entry.type === 'web_search_call')
      for (const stage of ['in_progress', 'searching', 'completed']) yield { type: `response.web_search_call.${stage}`, output_index, item_id: entry.id };
    if (entry.type === 'custom_tool_call') {
      yield { type: 'response.custom_tool_call_input.delta', output_index, item_id: entry.id, delta: entry.input };
      yield { type: 'response.custom_tool_call_input.done', output_index, item_id: entry.id, input: entry.input };
    }
    if (entry.type === 'message') yield* messageEvents(entry, { output_index, citationsLast });
    yield { type: 'response.output_item.done', output_index, item: entry };
  }
  // The padding came once already; a second time would make the stream twice as long as asked for.
  yield { type: 'response.completed', response: { ...response, output: response.output.map(({ encrypted_content: _padding, ...entry }) => entry) } };
}

/** An output entry as it is announced, before its content is known. */
function beginningOf({ id, type, ...rest }: OutputEntry): Fields {
  if (type === 'reasoning') return { id, type, summary: [] };
  if (type === 'message') return { id, type, status: 'in_progress', content: [], role: rest.role };
  if (type === 'custom_tool_call') return { id, type, ...rest, input: '', status: 'in_progress' };
  return { id, type, status: 'in_progress' };
}

function* messageEvents(
  entry: OutputEntry,
  { output_index, citationsLast }: { output_index: number; citationsLast: boolean },
): Generator<Fields & { type: string }> {
  const [part] = entry.content as [{ text: string; annotations: { end_index: number }[] }];
  const place = { item_id: entry.id, output_index, content_index: 0 };
  yield { type: 'response.content_part.added', ...place, part: { ...part, annotations: [], text: '' } };
  let written = 0;
  for (const [annotation_index, annotation] of part.annotations.entries()) {
    const reached = citationsLast ? part.text.length : annotation.end_index;
    yield* deltas(part.text.slice(written, reached), place);
    yield { type: 'response.output_text.annotation.added', ...place, annotation_index, annotation };
    written = reached;
  }
  yield* deltas(part.text.slice(written), place);
  yield { type: 'response.output_text.done', ...place, text: part.text, logprobs: [] };
  yield { type: 'response.content_part.done', ...place, part };
}

function* deltas(text: string, place: Fields): Generator<Fields & { type: string }> {
  for (const delta of text.match(/\s*\S+|\s+$/g) ?? []) yield { type: 'response.output_text.delta', ...place, delta, logprobs: [] };
}

/** Events as server-sent frames, numbered. */
export function* framesOf(events: Iterable<Fields & { type: string }>): Generator<string> {
  let sequence_number = 0;
  for (const { type, ...fields } of events) yield `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...fields })}\n\n`;
}

/** The events up to the middle of the text: what comes through of a stream that breaks off. */
export function* untilMidText(events: Iterable<Fields & { type: string }>, deltasMax = 8): Generator<Fields & { type: string }> {
  let count = 0;
  for (const event of events) {
    yield event;
    if (event.type === 'response.output_text.delta' && ++count >= deltasMax) return;
  }
}
