import { UpstreamFailure } from '@overheard/contracts';
import { linkNumberedMarks } from '../../answer/numbered-marks.js';
import { apiFailure } from '../../formats/api-failure.js';
import { fieldsOf, isRecord, listOf, numberOf, parseJson, textOf, type JsonRecord } from '../../formats/json.js';
import type { Payloads } from '../../formats/payloads.js';
import type { Page } from '../../formats/web-answer.js';
import type { PerplexityAnswer } from './answer.js';
import { Blocks } from './blocks.js';
import { extrasOf } from './extras.js';

/** Reads an answer of perplexity.ai: the frames of its stream, or a thread, whose last entry is the answer. */
export async function readPerplexityWeb(payloads: Payloads): Promise<PerplexityAnswer> {
  const streamed = new Frames();
  let entry: JsonRecord | undefined;
  for await (const payload of payloads) {
    if (Array.isArray(payload.entries)) entry ??= fieldsOf(payload.entries.at(-1));
    else streamed.take(payload);
  }
  const { latest, blocks } = entry ? new Frames().take(entry) : streamed;
  const items = workflowItems(blocks.get('workflow_root')?.workflow_block);
  const steps = stepsOf(latest.text);
  const pages = pagesOf(blocks, items, steps);
  return {
    id: textOf(latest.backend_uuid),
    model: textOf(latest.display_model),
    ...linkNumberedMarks(answerTexts(blocks, items, steps), pages),
    searches: [{ queries: [], pages, feeds: [] }],
    queries: queriesOf(blocks, items, steps),
    followUps: listOf(latest.related_queries).filter(textOf) as string[],
    extras: extrasOf([...blocks.values()]),
    country: textOf(fieldsOf(latest._extras).country) ?? textOf(fieldsOf(latest.telemetry_data).country),
    // `text_completed` turns true one frame too early.
    complete: latest.status === 'COMPLETED' && (entry !== undefined || latest.final_sse_message === true),
    endedBy: undefined,
    failure: failureOf(latest, pages.length > 0),
  };
}

/** Whether a payload is of this format. */
export const isPerplexityWeb = ({ blocks, entries }: JsonRecord): boolean => Array.isArray(blocks) || Array.isArray(entries);

/** What the frames of a stream add up to: each field as it came last, and the blocks. */
class Frames {
  readonly latest: JsonRecord = {};
  readonly blocks = new Blocks();

  take({ blocks, ...fields }: JsonRecord): this {
    Object.assign(this.latest, fields);
    for (const block of listOf(blocks)) this.blocks.take(fieldsOf(block));
    return this;
  }
}

/** The items of a workflow in order, those of workflows inside it too: its searches, what they found, and texts. */
const workflowItems = (workflow: unknown): JsonRecord[] =>
  listOf(fieldsOf(workflow).steps)
    .flatMap((step) => listOf(fieldsOf(step).items).map(fieldsOf))
    .flatMap((item) => [item, ...workflowItems(fieldsOf(item.payload).workflow_payload)]);

const payloadsOf = (items: JsonRecord[], name: string): JsonRecord[] => items.map(({ payload }) => fieldsOf(fieldsOf(payload)[name]));

/** The steps that older streams end with, as JSON inside the JSON. */
const stepsOf = (text: unknown): JsonRecord[] => (typeof text === 'string' ? listOf(parseJson(text)).map(fieldsOf) : []);

const contentsOf = (steps: JsonRecord[], type: string): JsonRecord[] =>
  steps.filter(({ step_type }) => step_type === type).map(({ content }) => fieldsOf(content));

/** The answer's Markdown, wherever this layout keeps it. */
function answerTexts(blocks: Map<string, JsonRecord>, items: JsonRecord[], steps: JsonRecord[]): string[] {
  const written = items.filter(({ variant, payload }) => (fieldsOf(fieldsOf(payload).text_payload).variant ?? variant) === 'answer');
  const markdown = (usage: string) => furthest(blocks.get(usage)?.markdown_block, 'answer');
  const numbered = [...blocks.keys()].filter((usage) => /^ask_text_\d+_markdown$/.test(usage)).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const final = contentsOf(steps, 'FINAL').map(({ answer }) => fieldsOf(typeof answer === 'string' ? parseJson(answer) : answer));
  const layouts = [
    payloadsOf(written, 'text_payload').map((payload) => furthest(payload, 'text')),
    [markdown('ask_text')],
    numbered.map(markdown),
    final.map((answer) => furthest(answer, 'answer')),
  ];
  return layouts.map((texts) => texts.filter((text) => text.trim())).find(({ length }) => length > 0) ?? [];
}

/** A text comes whole and in chunks, either of which may lag behind. */
function furthest(block: unknown, name: string): string {
  const whole = textOf(fieldsOf(block)[name]) ?? '';
  const added = listOf(fieldsOf(block).chunks).join('');
  return added.length > whole.length ? added : whole;
}

/** The pages that `[n]` counts through. */
function pagesOf(blocks: Map<string, JsonRecord>, items: JsonRecord[], steps: JsonRecord[]): Page[] {
  const lists = [
    listOf(fieldsOf(blocks.get('web_results')?.web_result_block).web_results),
    listOf(fieldsOf(blocks.get('sources_answer_mode')?.sources_mode_block).web_results),
    payloadsOf(items, 'sources_payload').flatMap(({ sources }) => listOf(sources)),
    contentsOf(steps, 'SEARCH_RESULTS').flatMap(({ web_results }) => listOf(web_results)),
  ];
  const found = lists.find(({ length }) => length > 0) ?? [];
  return found.map(fieldsOf).map(({ url, name, snippet }) => ({ url: String(url), title: textOf(name), description: textOf(snippet) }));
}

/** The fan-out queries. Only the steps tell engine and limit; without them these are what the app always sends. */
function queriesOf(blocks: Map<string, JsonRecord>, items: JsonRecord[], steps: JsonRecord[]): PerplexityAnswer['queries'] {
  const planned = listOf(fieldsOf(blocks.get('pro_search_steps')?.plan_block).steps).map((step) => fieldsOf(fieldsOf(step).search_web_content));
  const detailed = [...contentsOf(steps, 'SEARCH_WEB'), ...planned].flatMap(({ queries }) => listOf(queries)).map(fieldsOf);
  const told = new Map(detailed.map((query) => [query.query, query]));
  const listed = payloadsOf(items, 'queries_payload').flatMap(({ queries }) => listOf(queries));
  return (listed.some(textOf) ? listed : [...told.keys()]).flatMap((query) => {
    const { engine, limit } = told.get(query) ?? {};
    return textOf(query) ? [{ query: query as string, engine: textOf(engine) ?? 'web', limit: numberOf(limit) ?? 8 }] : [];
  });
}

/** An error frame; or the invitation to sign in or pay that comes, with status COMPLETED, in place of an answer. */
function failureOf(latest: JsonRecord, served: boolean): UpstreamFailure | undefined {
  const { error, error_code: code, error_message: message, status, upsell_information: upsell } = latest;
  if (isRecord(error) || textOf(error)) return apiFailure(latest);
  if (code || message || status === 'FAILED') return apiFailure({ error: { code, message: message ?? 'The answer failed' } });
  const { name, upsell_type: type } = fieldsOf(typeof upsell === 'string' ? parseJson(upsell) : upsell);
  if (served || !textOf(name)) return undefined;
  if (/quota/.test(String(name))) return new UpstreamFailure('quota_exhausted', `The web app shows ${String(name)}`);
  return type === 'LOGIN' || /authwall|logged_out/.test(String(name)) ? new UpstreamFailure('blocked', `The web app shows ${String(name)}`) : undefined;
}
