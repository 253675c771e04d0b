import { apiFailure } from './api-failure.js';
import { fieldsOf, isRecord, listOf, textOf, type JsonRecord } from './json.js';
import { citationsOf } from './url-citations.js';
import type { WebAnswer } from './web-answer.js';

/** Reads a chat completion with `url_citation` annotations, in one piece or as the chunks of its stream. */
export function readOpenaiChat(payloads: JsonRecord[]): WebAnswer {
  const messages = payloads.map(firstChoice).map(({ message, delta }) => fieldsOf(message ?? delta));
  const endedBy = payloads.map((payload) => textOf(firstChoice(payload).finish_reason)).findLast(Boolean);
  const refused = payloads.find(({ error }) => isRecord(error) || textOf(error));
  const text = messages.map(({ content }) => contentText(content)).join('');
  const annotations = messages.flatMap((message) => listOf(message.annotations));
  return {
    id: payloads.map(({ id }) => textOf(id)).find(Boolean),
    model: payloads.map(({ model }) => textOf(model)).find(Boolean),
    parts: textOf(text) ? [{ text, citations: citationsOf(annotations, text) }] : [],
    searches: [],
    country: undefined,
    events: payloads.filter(({ object }) => object === 'chat.completion.chunk'),
    complete: endedBy === 'stop',
    endedBy: endedBy === 'stop' ? undefined : endedBy,
    failure: refused && apiFailure(refused),
  };
}

/** Whether payloads are of this format. */
export const isOpenaiChat = (payloads: JsonRecord[]): boolean => payloads.some(({ choices }) => Array.isArray(choices));

const firstChoice = (payload: JsonRecord): JsonRecord => fieldsOf(listOf(payload.choices)[0]);

/** Content is a text, or a list of parts of which some are texts. */
const contentText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map((part) => textOf(fieldsOf(part).text) ?? '')
        .join('');
