import type { UpstreamFailure } from '@overheard/contracts';
import { addressKey, cleanAddress, isWebAddress } from '../../answer/addresses.js';
import { numberedLinks } from '../../answer/numbered-marks.js';
import { failureIn } from '../../formats/api-failure.js';
import { fieldsOf, isRecord, listOf, parseJson, textOf, type JsonRecord } from '../../formats/json.js';
import type { Payloads } from '../../formats/payloads.js';
import { shaped, text, type Shape } from '../../formats/shape.js';
import type { AnswerPart, Citation, Page, WebAnswer } from '../../formats/web-answer.js';
import type { GrokResult } from '../contract.js';

type PageDetails = Omit<GrokResult['sources'][number], 'position' | 'url' | 'label'>;

export interface GrokAnswer extends WebAnswer {
  /** What is told about pages, by `addressKey`. */
  details?: ReadonlyMap<string, PageDetails>;
}

/**
 * Reads what grok.com streams to its own page: JSON Lines, each an event under `result.response`, or under `result`
 * alone. The last `modelResponse` holds the whole answer; a stream that broke off before it has only the tokens.
 */
export async function readGrokWeb(payloads: Payloads): Promise<GrokAnswer> {
  const found: unknown[] = [];
  const tools: unknown[] = [];
  const cards: unknown[] = [];
  let tokens = '';
  let final: JsonRecord = {};
  let model: string | undefined;
  let ended = false;
  let failure: UpstreamFailure | undefined;
  for await (const payload of payloads) {
    const { result } = payload;
    const event = fieldsOf(fieldsOf(result).response ?? result);
    if (isAnswerToken(event)) tokens += String(event.token);
    if (textOf(fieldsOf(event.modelResponse).message)) final = fieldsOf(event.modelResponse);
    if (event.webSearchResults ?? event.xSearchResults) found.push(event.webSearchResults, event.xSearchResults);
    if (event.toolUsageCard) tools.push(event.toolUsageCard);
    if (event.cardAttachment) cards.push(fieldsOf(event.cardAttachment).jsonData);
    model ??= textOf(fieldsOf(event.userResponse).model);
    ended ||= event.isSoftStop === true || isRecord(event.finalMetadata);
    failure ??= failureIn(payload);
  }
  // What the searches found, the cited pages first.
  const results = [final.citedWebSearchResults, final.citedXposts, ...found, final.webSearchResults, final.xposts].flatMap(resultsIn);
  const pages = results.flatMap(pageOf);
  const titles = new Map(pages.map(({ url, title }) => [addressKey(url), title]));
  const { part, unresolved } = withLinks(textOf(final.message) ?? tokens, addressesOf([...cards, ...listOf(final.cardAttachmentsJson)]), titles);
  return {
    id: textOf(final.responseId),
    model: textOf(final.model) ?? model,
    parts: part.text.trim() ? [part] : [],
    searches: [{ queries: queriesOf(tools, final), pages, feeds: [] }],
    country: undefined,
    complete: ended || (textOf(final.message) !== undefined && final.partial !== true),
    endedBy: undefined,
    failure,
    details: detailsOf(results),
    unresolved,
  };
}

/** Whether a payload is of this format. */
export const isGrokWeb = ({ result }: JsonRecord): boolean => isRecord(result);

/** A piece of the answer itself; thoughts, tool calls and their headings are tokens too. */
const isAnswerToken = ({ token, isThinking, messageTag }: JsonRecord): boolean =>
  typeof token === 'string' && isThinking !== true && (textOf(messageTag) ?? 'final') === 'final';

// ------------------------------------------------------------------------------------------------ pages and searches

/** A list of results comes as it is or under `results`. */
const resultsIn = (list: unknown): JsonRecord[] => listOf(isRecord(list) ? list.results : list).map(fieldsOf);

function pageOf(result: JsonRecord): Page[] {
  const url = addressOf(result);
  return url === undefined ? [] : [{ url, title: textOf(result.title) ?? textOf(result.metadataTitle), description: textOf(result.description) }];
}

const DETAILS: Shape = {
  description: text('description'),
  preview: text('preview', 'text'),
  searchEngineText: text('searchEngineText'),
  siteName: text('siteName'),
  metadataTitle: text('metadataTitle'),
  creator: text('creator', 'username'),
  image: text('image'),
  favicon: text('favicon'),
};

function detailsOf(results: JsonRecord[]): Map<string, PageDetails> {
  const details = new Map<string, PageDetails>();
  for (const result of results) {
    const key = addressKey(addressOf(result) ?? '');
    details.set(key, { ...shaped(DETAILS, result), ...details.get(key) });
  }
  return details;
}

/** A result's address; a post on X has only its number and whose it is. */
function addressOf({ url, username, postId }: JsonRecord): string | undefined {
  if (textOf(url)) return url as string;
  return textOf(username) && textOf(postId) ? `https://x.com/${username}/status/${postId}` : undefined;
}

/** What was searched for, by whatever tool; the final response repeats the calls of its steps. */
function queriesOf(tools: unknown[], { steps }: JsonRecord): string[] {
  const cards = [...tools, ...listOf(steps).flatMap((step) => listOf(fieldsOf(step).toolUsageCards))];
  const queries = cards.flatMap((card) => Object.values(fieldsOf(card))).map((call) => textOf(fieldsOf(fieldsOf(call).args).query));
  return [...new Set(queries)].filter((query) => query !== undefined);
}

// ------------------------------------------------------------------------------------------------ citation marks

/** The address of each citation card, by the card's id. */
const addressesOf = (cards: unknown[]): Map<string, string> =>
  new Map(
    cards
      .map((card) => fieldsOf(typeof card === 'string' ? parseJson(card) : card))
      .flatMap(({ id, url }) => (textOf(url) && isWebAddress(url as string) ? [[String(id), cleanAddress(url as string)] as const] : [])),
  );

// A tag that the stream broke off in reaches to the end.
const CARD = /<grok:render\b([^>]*?)(?:\/>|>[\s\S]*?(?:<\/grok:render>|$)|$)/g;
const TOOL_CALL = /<xai:tool_usage_card>[\s\S]*?(?:<\/xai:tool_usage_card>|$)/g;

/** An answer whose citation cards have become links, numbered in the order of the text; other cards show pictures and are left out. */
function withLinks(message: string, addresses: Map<string, string>, titles: Map<string, string | undefined>): { part: AnswerPart; unresolved: number } {
  const linkTo = numberedLinks((number) => `[${number}]`);
  const citations: Citation[] = [];
  let [written, words, unresolved, end] = ['', '', 0, 0];
  const source = message.replace(TOOL_CALL, '');
  for (const { 0: card, 1: attributes = '', index } of source.matchAll(CARD)) {
    const before = source.slice(end, index);
    [written, words, end] = [written + before, words + before, index + card.length];
    if (!/\b(?:card_)?type="(?:render_inline_)?citation/.test(attributes)) continue;
    words += '\uE200cite\uE201';
    const url = addresses.get(/\bcard_id="([^"]*)"/.exec(attributes)?.[1] ?? '');
    if (url === undefined) unresolved += 1;
    else {
      const page = { url, title: titles.get(addressKey(url)) };
      const start = written.length;
      written += linkTo(page);
      citations.push({ ...page, start, end: written.length });
    }
  }
  const rest = source.slice(end);
  return { part: { text: written + rest, words: words + rest, citations }, unresolved };
}
