import type { UpstreamFailure } from '@overheard/contracts';
import { linkNumberedMarks } from '../../answer/numbered-marks.js';
import { failureIn } from '../../formats/api-failure.js';
import { fieldsOf, listOf, textOf, type JsonRecord } from '../../formats/json.js';
import type { Payloads } from '../../formats/payloads.js';
import type { Page, WebAnswer } from '../../formats/web-answer.js';

/** Reads an answer of the Microsoft 365 Copilot Chat API: a conversation, or the events of its stream, each of which has all of the text so far. */
export async function readM365Copilot(payloads: Payloads): Promise<WebAnswer> {
  let conversation: JsonRecord | undefined;
  let draft: JsonRecord = {};
  let failure: UpstreamFailure | undefined;
  for await (const payload of payloads) {
    const latest = fieldsOf(listOf(payload.messages).at(-1));
    if (isOver(payload)) conversation = payload;
    if (textOf(latest.text)) draft = latest;
    failure ??= failureIn(payload);
  }
  const reply = conversation ? replyIn(conversation) : draft;
  const pages = listOf(reply.attributions).map(fieldsOf).filter(isCitation).map(pageOf);
  const text = withoutTags(textOf(reply.text) ?? '');
  return {
    id: textOf(reply.id),
    model: undefined,
    ...linkNumberedMarks(text ? [text] : [], pages),
    searches: [{ queries: [], pages, feeds: [] }],
    country: undefined,
    complete: conversation !== undefined,
    endedBy: undefined,
    failure,
  };
}

/** Whether a payload is of this format. */
export const isM365Copilot = ({ messages, turnCount }: JsonRecord): boolean => Array.isArray(messages) && turnCount !== undefined;

/** The conversation as it stands after a turn; while a reply is being written, none is counted. */
const isOver = ({ messages, turnCount }: JsonRecord): boolean => Number(turnCount) > 0 && listOf(messages).length > 0;

/** A conversation has the user's message first; one that has no other has no reply. */
const replyIn = ({ messages }: JsonRecord): JsonRecord => fieldsOf(listOf(messages).slice(1).at(-1));

/** Other attributions only say what the names in the text lead to. */
const isCitation = ({ attributionType }: JsonRecord): boolean => attributionType === 'citation';

const pageOf = ({ seeMoreWebUrl, providerDisplayName }: JsonRecord): Page => ({ url: String(seeMoreWebUrl), title: textOf(providerDisplayName) });

/** People, files and events stand in tags: `<Person>Ada</Person>`. */
const withoutTags = (text: string): string => text.replace(/<([A-Z]\w*)>([^<>]{0,1000})<\/\1>/g, '$2');
