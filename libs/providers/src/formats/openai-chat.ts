import type { UpstreamFailure } from '@overheard/contracts';
import { failureIn } from './api-failure.js';
import { fieldsOf, listOf, textOf, type JsonRecord } from './json.js';
import type { Payloads } from './payloads.js';
import { citationsOf } from './url-citations.js';
import type { WebAnswer } from './web-answer.js';

/** Reads a chat completion with `url_citation` annotations, in one piece or as the chunks of its stream. */
export async function readOpenaiChat(payloads: Payloads): Promise<WebAnswer> {
  const annotations: unknown[] = [];
  let text = '';
  let id: string | undefined;
  let model: string | undefined;
  let endedBy: string | undefined;
  let failure: UpstreamFailure | undefined;
  for await (const payload of payloads) {
    const choice = firstChoice(payload);
    const message = fieldsOf(choice.message ?? choice.delta);
    text += contentText(message.content);
    for (const annotation of listOf(message.annotations)) annotations.push(annotation);
    id ??= textOf(payload.id);
    model ??= textOf(payload.model);
    endedBy = textOf(choice.finish_reason) ?? endedBy;
    failure ??= failureIn(payload);
  }
  return {
    id,
    model,
    parts: textOf(text) ? [{ text, citations: citationsOf(annotations, text) }] : [],
    searches: [],
    country: undefined,
    complete: endedBy === 'stop',
    endedBy: endedBy === 'stop' ? undefined : endedBy,
    failure,
  };
}

/** Whether a payload is of this format. */
export const isOpenaiChat = ({ choices }: JsonRecord): boolean => Array.isArray(choices);

const firstChoice = (payload: JsonRecord): JsonRecord => fieldsOf(listOf(payload.choices)[0]);

/** Content is a text, or a list of parts of which some are texts. */
const contentText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map((part) => textOf(fieldsOf(part).text) ?? '')
        .join('');
