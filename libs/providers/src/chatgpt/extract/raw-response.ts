import { fieldsOf, textOf, type JsonRecord } from '../../formats/json.js';
import type { WebAnswer } from '../../formats/web-answer.js';

export type RawEvent = JsonRecord & { type: string };

/**
 * The events of an answer of the API in the form of interface.md: its start, each piece of text, its end. Every other
 * event stands among them as it came. An answer in one piece gets the three kinds made for it.
 */
export function extractRawResponse(answer: WebAnswer, payloads: JsonRecord[]): RawEvent[] {
  const events = payloads.filter(({ type, object }) => typeof type === 'string' || object === 'chat.completion.chunk');
  return events.length ? events.flatMap(fromEvent) : madeUp(answer);
}

/** The events of an answer that came without any. */
export const madeUp = ({ id, model, parts, endedBy }: WebAnswer): RawEvent[] => [
  messageStart({ id, model }),
  ...parts.map(({ text }) => messageDelta(text)),
  messageStop(endedBy ?? 'completed'),
];

function fromEvent(event: JsonRecord): RawEvent[] {
  const response = fieldsOf(event.response);
  switch (event.type) {
    case 'response.created':
      return [messageStart(response)];
    case 'response.output_text.delta':
      return [messageDelta(String(event.delta ?? ''))];
    case 'response.completed':
    case 'response.incomplete':
      return [messageStop(textOf(fieldsOf(response.incomplete_details).reason) ?? 'completed')];
    default:
      return 'choices' in event ? fromChunk(event) : [event as RawEvent];
  }
}

/** A chunk of a chat completion may be start, text and end at once. */
function fromChunk(chunk: JsonRecord): RawEvent[] {
  const choice = fieldsOf((chunk.choices as unknown[])[0]);
  const { role, content } = fieldsOf(choice.delta);
  const reason = textOf(choice.finish_reason);
  const events = [...(role ? [messageStart(chunk)] : []), ...(content ? [messageDelta(String(content))] : []), ...(reason ? [messageStop(reason)] : [])];
  return events.length ? events : [{ type: 'chat.completion.chunk', ...chunk }];
}

export const messageStart = ({ id, model }: { id?: unknown; model?: unknown }): RawEvent => ({
  type: 'message_start',
  message: { id, role: 'assistant', model },
});

export const messageDelta = (text: string): RawEvent => ({ type: 'message_delta', delta: { content: [{ type: 'output_text_delta', text_delta: text }] } });

export const messageStop = (reason: string): RawEvent => ({ type: 'message_stop', reason });
