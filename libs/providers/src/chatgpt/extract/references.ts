import { domainOf, isWebAddress, linkAddress } from '../../answer/addresses.js';
import { fieldsOf, listOf, parseJson, textOf, type JsonRecord } from '../../formats/json.js';
import type { AnswerPart, Citation, Page } from '../../formats/web-answer.js';
import { listedIn, textOfMessage } from './web-messages.js';

// The app's text holds marks in private characters, ⟦kind, field, …⟧; the message's content references say what each stands for.

const MARK = /\uE200[^\uE200\uE201]*\uE201/g;

export const referencesOf = (message: JsonRecord): JsonRecord[] => listedIn(message, 'content_references');

/** A message's text with each mark replaced by what it stands for, and its citations in the order of the text. */
export function readText(message: JsonRecord): AnswerPart {
  const text = textOfMessage(message);
  const references = byMark(referencesOf(message));
  const citations: Citation[] = [];
  const wordsOfMarks: string[] = [];

  const markdown = text.replace(MARK, (mark) => {
    // The same mark may stand in several places, with a reference for each or one for all.
    const left = references.get(mark) ?? [];
    const reference = left.length > 1 ? left.shift() : left[0];
    const [page] = reference ? pagesCited(reference) : [];
    if (page) citations.push({ ...page, start: 0, end: 0, type: textOf(reference?.type) });
    // A citation that nothing explains stays, to be counted as such.
    const isCitation = page !== undefined || (!reference && kindOf(mark) === 'cite');
    const standIn =
      textOf(reference?.alt) ?? (page && `(${linkTo(page)})`) ?? (isCitation ? mark : (pagesLinked(reference ?? {}).map(linkTo)[0] ?? nameIn(mark) ?? ''));
    wordsOfMarks.push(isCitation ? mark : standIn);
    return standIn;
  });
  let next = 0;
  return { text: markdown, words: text.replace(MARK, () => wordsOfMarks[next++]!), citations };
}

function byMark(references: JsonRecord[]): Map<unknown, JsonRecord[]> {
  const groups = new Map<unknown, JsonRecord[]>();
  for (const reference of references) {
    const group = groups.get(reference.matched_text) ?? [];
    group.push(reference);
    groups.set(reference.matched_text, group);
  }
  return groups;
}

const linkTo = ({ title, url }: Page): string => `[${(title ?? domainOf(url)).replace(/[[\]\\]/g, '\\$&')}](${linkAddress(url)})`;

/** The pages that a reference cites, the one its mark points at first. */
export function pagesCited(reference: JsonRecord): Page[] {
  if (!/^(?:grouped_)?webpage/.test(String(reference.type))) return [];
  return pagesOf(listOf(reference.items).length ? reference.items : (reference.fallback_items ?? [reference]));
}

/** The page of a link that belongs to the words. */
export const pagesLinked = ({ type, title, item }: JsonRecord): Page[] => (type === 'url' ? pagesOf([{ ...fieldsOf(item), attribution: title }]) : []);

/** The pages that stand behind a reference without being cited in the text. */
export const pagesBehind = ({ type, items, sources }: JsonRecord): Page[] => [
  ...listOf(items).flatMap((item) => pagesOf(fieldsOf(item).supporting_websites)),
  ...(type === 'nav_list' ? pagesOf(items) : []),
  ...pagesOf(sources),
];

/** Pages in the app's form, as far as they have an address. */
export const pagesOf = (list: unknown): Page[] =>
  listOf(list)
    .map(fieldsOf)
    .flatMap(({ url, title, attribution, snippet, pub_date }) => {
      const address = textOf(url);
      if (!address || !isWebAddress(address)) return [];
      return [{ url: address, title: textOf(attribution) ?? textOf(title), description: textOf(snippet), date: dateOf(pub_date) }];
    });

/** Seconds since 1970, or a date in words. */
function dateOf(value: unknown): string | undefined {
  const date = new Date(typeof value === 'number' ? value * 1000 : (textOf(value) ?? NaN));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** The people, places and things that a text names in marks of their own, each once. */
export function entitiesIn(messages: JsonRecord[]): { type: string; name: string }[] {
  const entities = new Map<string, { type: string; name: string }>();
  for (const mark of messages.flatMap((message) => textOfMessage(message).match(MARK) ?? []).filter((mark) => kindOf(mark) === 'entity')) {
    const [type] = listOf(fieldsIn(mark)[0]);
    const name = nameIn(mark);
    // Places are named by where the search found them, which is no type.
    if (typeof type === 'string' && name && !/^turn\d/.test(type)) entities.set(`${type} ${name}`, { type, name });
  }
  return [...entities.values()];
}

/** The fields of a mark: the values of those in JSON. A separator before the first may be missing, `entity["people","Ada Lovelace",0]`. */
export const fieldsIn = (mark: string): unknown[] =>
  mark
    .slice(1 + kindOf(mark).length, -1)
    .split('\uE202')
    .filter(Boolean)
    .map((field) => parseJson(field) ?? field);

const kindOf = (mark: string): string => /^\uE200([a-z_]*)/.exec(mark)![1]!;

/** The name in `["people","Ada Lovelace",0]`. */
const nameIn = (mark: string): string | undefined =>
  fieldsIn(mark)
    .map((field) => textOf(listOf(field)[1]))
    .find(Boolean);
