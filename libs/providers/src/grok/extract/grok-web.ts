import { addressKey, cleanAddress, isWebAddress } from '../../answer/addresses.js';
import { apiFailure } from '../../formats/api-failure.js';
import { fieldsOf, isRecord, listOf, parseJson, textOf, type JsonRecord } from '../../formats/json.js';
import { shaped, text, type Shape } from '../../formats/shape.js';
import type { AnswerPart, Citation, Page, WebAnswer } from '../../formats/web-answer.js';
import type { GrokResult } from '../contract.js';

type PageDetails = Omit<GrokResult['sources'][number], 'position' | 'url' | 'label'>;

export interface GrokAnswer extends WebAnswer {
  /** What is told about pages, by `addressKey`. */
  details?: ReadonlyMap<string, PageDetails>;
  /** Citation marks whose card is missing. */
  unresolved?: number;
}

/**
 * Reads what grok.com streams to its own page: JSON Lines, each an event under `result.response`, or under `result`
 * alone. The last `modelResponse` holds the whole answer; a stream that broke off before it has only the tokens.
 */
export function readGrokWeb(payloads: JsonRecord[]): GrokAnswer {
  const events = payloads.map(({ result }) => fieldsOf(fieldsOf(result).response ?? result));
  const responses = events.map(({ modelResponse }) => fieldsOf(modelResponse));
  const final = responses.findLast(({ message }) => textOf(message)) ?? {};
  const results = resultsOf(events, final);
  const found = results.flatMap(pageOf);
  const titles = new Map(found.map(({ url, title }) => [addressKey(url), title]));
  const message =
    textOf(final.message) ??
    events
      .filter(isAnswerToken)
      .map(({ token }) => token)
      .join('');
  const { part, unresolved } = withLinks(message, citedAddresses(events, final), titles);
  const refused = payloads.find(({ error }) => isRecord(error) || textOf(error));
  return {
    id: textOf(final.responseId),
    model: textOf(final.model) ?? events.map(({ userResponse }) => textOf(fieldsOf(userResponse).model)).find(Boolean),
    parts: part.text.trim() ? [part] : [],
    searches: [{ queries: queriesOf(events, final), pages: found, feeds: [] }],
    country: undefined,
    events: payloads,
    complete:
      events.some(({ isSoftStop, finalMetadata }) => isSoftStop === true || isRecord(finalMetadata)) ||
      (textOf(final.message) !== undefined && final.partial !== true),
    endedBy: undefined,
    failure: refused && apiFailure(refused),
    details: detailsOf(results),
    unresolved,
  };
}

/** Whether payloads are of this format. */
export const isGrokWeb = (payloads: JsonRecord[]): boolean => payloads.some(({ result }) => isRecord(result));

/** A piece of the answer itself; thoughts, tool calls and their headings are tokens too. */
const isAnswerToken = ({ token, isThinking, messageTag }: JsonRecord): boolean =>
  typeof token === 'string' && isThinking !== true && (textOf(messageTag) ?? 'final') === 'final';

// ------------------------------------------------------------------------------------------------ pages and searches

/** What the searches found, the cited pages first; a list comes as it is or under `results`. */
function resultsOf(events: JsonRecord[], final: JsonRecord): JsonRecord[] {
  const lists = [
    final.citedWebSearchResults,
    final.citedXposts,
    ...events.flatMap(({ webSearchResults, xSearchResults }) => [webSearchResults, xSearchResults]),
    final.webSearchResults,
    final.xposts,
  ];
  return lists.flatMap((list) => listOf(isRecord(list) ? list.results : list)).map(fieldsOf);
}

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
function queriesOf(events: JsonRecord[], final: JsonRecord): string[] {
  const steps = listOf(final.steps).map(fieldsOf);
  const cards = [...events.map(({ toolUsageCard }) => toolUsageCard), ...steps.flatMap(({ toolUsageCards }) => listOf(toolUsageCards))];
  const queries = cards.flatMap((card) => Object.values(fieldsOf(card))).map((call) => textOf(fieldsOf(fieldsOf(call).args).query));
  return [...new Set(queries)].filter((query) => query !== undefined);
}

// ------------------------------------------------------------------------------------------------ citation marks

/** The address of each citation card, by the card's id. */
function citedAddresses(events: JsonRecord[], final: JsonRecord): Map<string, string> {
  const cards = [...events.map(({ cardAttachment }) => fieldsOf(cardAttachment).jsonData), ...listOf(final.cardAttachmentsJson)];
  return new Map(
    cards
      .map((card) => fieldsOf(typeof card === 'string' ? parseJson(card) : card))
      .flatMap(({ id, url }) => (textOf(url) && isWebAddress(url as string) ? [[String(id), cleanAddress(url as string)] as const] : [])),
  );
}

// A tag that the stream broke off in reaches to the end.
const CARD = /<grok:render\b([^>]*?)(?:\/>|>[\s\S]*?(?:<\/grok:render>|$)|$)/g;
const TOOL_CALL = /<xai:tool_usage_card>[\s\S]*?(?:<\/xai:tool_usage_card>|$)/g;

/** An answer whose citation cards have become links, numbered in the order of the text; other cards show pictures and are left out. */
function withLinks(message: string, addresses: Map<string, string>, titles: Map<string, string | undefined>): { part: AnswerPart; unresolved: number } {
  const numbers = new Map<string, number>();
  const citations: Citation[] = [];
  let [written, words, unresolved, end] = ['', '', 0, 0];
  const source = message.replace(TOOL_CALL, '');
  for (const { 0: card, 1: attributes = '', index } of source.matchAll(CARD)) {
    const before = source.slice(end, index);
    [written, words, end] = [written + before, words + before, index + card.length];
    if (!/\b(?:card_)?type="(?:render_inline_)?citation/.test(attributes)) continue;
    const url = addresses.get(/\bcard_id="([^"]*)"/.exec(attributes)?.[1] ?? '');
    if (url === undefined) unresolved += 1;
    else {
      const number = numbers.get(url) ?? numbers.size + 1;
      numbers.set(url, number);
      const link = `[[${number}]](${/[ ()]/.test(url) ? `<${url}>` : url})`;
      citations.push({ url, title: titles.get(addressKey(url)), start: written.length, end: written.length + link.length });
      written += link;
    }
    words += '\uE200cite\uE201';
  }
  const rest = source.slice(end);
  return { part: { text: written + rest, words: words + rest, citations }, unresolved };
}
