import { linkNumberedMarks } from '../../answer/numbered-marks.js';
import { apiFailure } from '../../formats/api-failure.js';
import { fieldsOf, isRecord, listOf, textOf, type JsonRecord } from '../../formats/json.js';
import type { Page } from '../../formats/web-answer.js';
import type { CopilotAnswer } from './answer.js';

/** Reads an answer of the Microsoft 365 Copilot Chat API: a conversation, or the events of its stream, each of which has all of the text so far. */
export function readM365Copilot(payloads: JsonRecord[]): CopilotAnswer {
  const conversation = payloads.findLast(isOver);
  const reply = conversation ? replyIn(conversation) : payloads.map(({ messages }) => fieldsOf(listOf(messages).at(-1))).findLast(({ text }) => textOf(text));
  const pages = listOf(reply?.attributions).map(fieldsOf).filter(isCitation).map(pageOf);
  const text = withoutTags(textOf(reply?.text) ?? '');
  const refused = payloads.find(({ error }) => isRecord(error) || textOf(error));
  return {
    id: textOf(reply?.id),
    model: undefined,
    ...linkNumberedMarks(text ? [text] : [], pages),
    searches: [{ queries: [], pages, feeds: [] }],
    country: undefined,
    events: payloads,
    complete: conversation !== undefined,
    endedBy: undefined,
    failure: refused && apiFailure(refused),
  };
}

/** Whether payloads are of this format. */
export const isM365Copilot = (payloads: JsonRecord[]): boolean =>
  payloads.some(({ messages, turnCount }) => Array.isArray(messages) && turnCount !== undefined);

/** The conversation as it stands after a turn; while a reply is being written, none is counted. */
const isOver = ({ messages, turnCount }: JsonRecord): boolean => Number(turnCount) > 0 && listOf(messages).length > 0;

/** A conversation has the user's message first; one that has no other has no reply. */
const replyIn = ({ messages }: JsonRecord): JsonRecord => fieldsOf(listOf(messages).slice(1).at(-1));

/** Other attributions only say what the names in the text lead to. */
const isCitation = ({ attributionType }: JsonRecord): boolean => attributionType === 'citation';

const pageOf = ({ seeMoreWebUrl, providerDisplayName }: JsonRecord): Page => ({ url: String(seeMoreWebUrl), title: textOf(providerDisplayName) });

/** People, files and events stand in tags: `<Person>Ada</Person>`. */
const withoutTags = (text: string): string => text.replace(/<([A-Z]\w*)>([^<>]{0,1000})<\/\1>/g, '$2');
