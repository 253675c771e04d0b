import { UpstreamFailure } from '@overheard/contracts';
import { apiFailure } from '../../formats/api-failure.js';
import { fieldsOf, isRecord, listOf, parseJson, textOf, type JsonRecord } from '../../formats/json.js';
import type { Payloads } from '../../formats/payloads.js';
import type { WebAnswer, WebSearch } from '../../formats/web-answer.js';
import type { ChatgptResult } from '../contract.js';
import { madeUp, type RawEvent } from './raw-response.js';
import { entitiesIn, pagesBehind, pagesCited, pagesLinked, pagesOf, readText, referencesOf } from './references.js';
import { extractInlineProducts, extractShoppingCards } from './shopping.js';
import { answersOf, isMessage, lastTurn, listedIn, textOfMessage, WebConversation } from './web-messages.js';
import { extractAds, extractMap, isAdvertisement } from './widgets.js';

/** What only the web app shows. */
type Shown = Pick<ChatgptResult, 'ads' | 'shoppingCards' | 'inlineProducts' | 'entities' | 'map'>;

export interface ChatgptAnswer extends WebAnswer {
  shown?: Shown;
}

/** Reads what ChatGPT's web app got: its event stream, a conversation, or a list of messages. */
export async function readChatgptWeb(payloads: Payloads): Promise<ChatgptAnswer> {
  const advertisements: RawEvent[] = [];
  const updates: RawEvent[] = [];
  const conversation = new WebConversation((event) => {
    if (isAdvertisement(event)) advertisements.push(event);
    if (event.type === 'product_update') updates.push(event);
  });
  let failure: UpstreamFailure | undefined;
  for await (const payload of payloads) {
    conversation.take(payload);
    failure ??= failureOf(payload);
  }
  const turn = lastTurn(conversation.messages);
  const answers = answersOf(turn);
  const last = answers.at(-1) ?? {};
  const { model_slug, resolved_model_slug, finish_details } = fieldsOf(last.metadata);
  const finish = textOf(fieldsOf(finish_details).type) ?? 'stop';
  return {
    id: textOf(last.id),
    model: textOf(model_slug) ?? textOf(resolved_model_slug) ?? conversation.model,
    parts: answers.map(readText).filter(({ text }) => textOf(text)),
    searches: [{ queries: queriesOf(turn), pages: foundPages(turn, answers), feeds: [] }],
    country: undefined,
    complete: finish === 'stop' && (conversation.ended || last.status === 'finished_successfully'),
    endedBy: finish === 'stop' ? undefined : finish,
    failure,
    shown: {
      ads: extractAds(advertisements),
      shoppingCards: extractShoppingCards(answers, updates),
      inlineProducts: extractInlineProducts(answers, updates),
      entities: entitiesIn(answers),
      map: extractMap(answers),
    },
  };
}

const EVENTS = new Set(['resume_conversation_token', 'message_marker', 'message_stream_complete', 'stream_handoff']);

/** Whether a payload is of this format. */
export const isChatgptWeb = (payload: JsonRecord): boolean =>
  isMessage(payload) ||
  isRecord(payload.mapping) ||
  Array.isArray(payload.linear_conversation) ||
  ('detail' in payload && !('type' in payload)) ||
  ('v' in payload && ('p' in payload || isMessage(fieldsOf(payload.v)))) ||
  EVENTS.has(String(payload.type));

/** The stream's events in the interface's form; made up where the messages came without a stream. */
export function extractWebEvents(answer: WebAnswer, payloads: JsonRecord[]): RawEvent[] {
  const events: RawEvent[] = [];
  const conversation = new WebConversation((event) => events.push(event));
  for (const payload of payloads) conversation.take(payload);
  return events.length && !payloads.every(isMessage) ? events : madeUp(answer);
}

/** What the answers cite besides what their marks point at, then what stands behind them, then what else the search found. */
function foundPages(turn: JsonRecord[], answers: JsonRecord[]): WebSearch['pages'] {
  const references = answers.flatMap(referencesOf);
  const cited = references.flatMap((reference) => [...pagesCited(reference), ...pagesLinked(reference)]);
  const entries = turn.flatMap((message) => listedIn(message, 'search_result_groups')).flatMap((group) => pagesOf(group.entries));
  return [...cited.map((page) => ({ ...page, cited: true })), ...references.flatMap(pagesBehind), ...entries];
}

/** The searches of a turn: as the search tool lists them, else as the metadata has them, else as the model wrote them. */
function queriesOf(turn: JsonRecord[]): string[] {
  const listed = turn.flatMap(({ metadata }) => listOf(fieldsOf(fieldsOf(metadata).search_model_queries).queries));
  const noted = () => turn.flatMap((message) => listOf(fieldsOf(message.metadata).search_queries));
  const written = () => turn.filter(({ recipient }) => /^web\b/.test(String(recipient))).flatMap((message) => queriesIn(textOfMessage(message)));
  for (const queries of [() => listed, noted, written]) {
    const words = queries().flatMap((query) => textOf(query) ?? textOf(fieldsOf(query).q) ?? textOf(fieldsOf(query).query) ?? []);
    if (words.length) return words;
  }
  return [];
}

/** The queries of a call of the search tool: `search("…")`, or JSON. */
function queriesIn(call: string): unknown[] {
  const json = parseJson(call);
  if (isRecord(json)) return listOf(json.search_query);
  return [...call.matchAll(/\bsearch\(\s*("(?:[^"\\]|\\.)*")/g)].map(([, query]) => parseJson(query!));
}

/** An error in place of an answer, or inside a stream or message. */
function failureOf({ type, error, detail, v }: JsonRecord): UpstreamFailure | undefined {
  const told = [error, type === undefined ? detail : undefined, fieldsOf(v).error].find((value) => isRecord(value) || textOf(value));
  return told === undefined ? undefined : refusal(isRecord(told) ? (textOf(told.message) ?? textOf(told.code) ?? '') : String(told), told);
}

const refusal = (message: string, error: unknown): UpstreamFailure =>
  /unusual.activity|captcha|challenge|log ?in|session has expired/i.test(message) ? new UpstreamFailure('blocked', message) : apiFailure({ error });
