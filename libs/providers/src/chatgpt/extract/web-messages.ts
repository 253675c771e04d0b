import { fieldsOf, isRecord, listOf, textOf, type JsonRecord } from '../../formats/json.js';
import { applyPatch, PatchReader, type Patch } from './patches.js';
import { messageDelta, messageStart, messageStop, type RawEvent } from './raw-response.js';

/** What the web app sent: the messages as they were in the end, and what else came with them. */
export interface WebMessages {
  messages: JsonRecord[];
  /** The stream in the interface's form; none when the messages came without one. */
  events: RawEvent[];
  /** Whether the stream says that it is over. */
  ended: boolean;
  /** The model of a conversation whose messages name none. */
  model: string | undefined;
}

/** Reads the web app's event stream, its conversation as JSON, or a list of messages. */
export function readMessages(payloads: JsonRecord[]): WebMessages {
  const [first = {}] = payloads;
  const listed = isRecord(first.mapping) ? branchOf(first) : [first.linear_conversation, first.messages].find(Array.isArray);
  if (!listed && !payloads.every(isMessage)) return readStream(payloads);
  const messages = (listed ?? payloads).map(fieldsOf).map((entry) => fieldsOf(entry.message ?? entry));
  return { messages, events: [], ended: false, model: textOf(first.default_model_slug) };
}

export const isMessage = ({ author, content, message }: JsonRecord): boolean => (isRecord(author) && isRecord(content)) || isRecord(fieldsOf(message).author);

/** Whether a message is words for the user: no thought, no search, no remark about what is being done. */
const isAnswer = ({ author, recipient, channel, content, metadata }: JsonRecord): boolean =>
  fieldsOf(author).role === 'assistant' &&
  (recipient ?? 'all') === 'all' &&
  !['analysis', 'commentary'].includes(String(channel)) &&
  ['text', 'multimodal_text'].includes(String(fieldsOf(content).content_type)) &&
  fieldsOf(metadata).is_visually_hidden_from_conversation !== true;

/** The words of a message, marks included. */
export function textOfMessage({ content }: JsonRecord): string {
  const { parts, text } = fieldsOf(content);
  const texts: unknown[] = Array.isArray(parts) ? parts.map((part) => (typeof part === 'string' ? part : fieldsOf(part).text)) : [text];
  return texts.filter((part) => typeof part === 'string' && part !== '').join('\n\n');
}

/** The messages from the beginning of a conversation to its current one; edited and repeated turns branch off. */
function branchOf({ mapping, current_node }: JsonRecord): JsonRecord[] {
  const nodes = fieldsOf(mapping);
  const branch: JsonRecord[] = [];
  const seen = new Set<unknown>();
  let id = current_node ?? Object.keys(nodes).at(-1) ?? null;
  while (typeof id === 'string' && Object.hasOwn(nodes, id) && !seen.has(id)) {
    seen.add(id);
    branch.push(fieldsOf(nodes[id]));
    id = fieldsOf(nodes[id]).parent ?? null;
  }
  return branch.reverse().filter(({ message }) => isRecord(message));
}

function readStream(payloads: JsonRecord[]): WebMessages {
  const reader = new PatchReader();
  const documents = new Map<unknown, Document>();
  const events: RawEvent[] = [];
  let current: Document | undefined;
  for (const payload of payloads) {
    if (isMessage(payload)) current = opened(payload, documents, events);
    else if (!('v' in payload)) events.push(eventOf(payload));
    else {
      const patches = reader.read(payload);
      const others: Patch[] = [];
      for (const patch of patches) {
        if (isRecord(patch.v) && isMessage(patch.v)) current = opened(patch.v, documents, events);
        else if (!current || !isTold(current, patch, events)) others.push(patch);
      }
      if (others.length === patches.length) events.push({ type: 'delta', ...payload });
      else if (others.length) events.push({ type: 'delta', p: '', o: 'patch', v: others });
    }
    if (current) close(current, events);
  }
  const ended = payloads.some(({ type }) => type === 'message_stream_complete');
  return { messages: [...documents.values()].map(messageOf), events, ended, model: undefined };
}

/** A message while it is being written. */
interface Document {
  root: unknown;
  /** How much of its text the events have told. */
  told: number;
  closed: boolean;
}

const messageOf = ({ root }: Document): JsonRecord => fieldsOf(fieldsOf(root).message);

/** An event that is no delta; what a product's own stream sends last goes by the interface's name. */
const eventOf = (payload: JsonRecord): RawEvent => ({
  ...payload,
  type: payload.type === 'product_entity' ? 'product_update' : (textOf(payload.type) ?? 'unknown'),
});

/** Takes in a message as it stands, new or again. */
function opened(root: JsonRecord, documents: Map<unknown, Document>, events: RawEvent[]): Document {
  const message = fieldsOf(root.message ?? root);
  const known = documents.get(message.id);
  const document = known ?? { root, told: 0, closed: false };
  // Patches change it, and the events have to stay as they came.
  document.root = structuredClone({ ...root, message });
  documents.set(message.id, document);
  if (!isAnswer(message)) {
    events.push({ type: 'delta', p: '', o: 'add', v: root });
    return document;
  }
  if (!known) events.push(messageStart({ id: message.id, model: fieldsOf(message.metadata).model_slug }));
  const text = textOfMessage(message);
  if (text.length > document.told) events.push(messageDelta(text.slice(document.told)));
  document.told = text.length;
  return document;
}

/** Carries out a patch; true when it was a piece of the answer's text, which the events now tell. */
function isTold(document: Document, { p, o, v }: Patch, events: RawEvent[]): boolean {
  document.root = applyPatch(document.root, { p, o, v: typeof v === 'object' ? structuredClone(v) : v });
  if (o !== 'append' || typeof v !== 'string' || !/^\/message\/content\/parts\/\d+$/.test(p) || !isAnswer(messageOf(document))) return false;
  document.told += v.length;
  events.push(messageDelta(v));
  return true;
}

/** Tells of an answer's end, once. */
function close(document: Document, events: RawEvent[]): void {
  const message = messageOf(document);
  if (document.closed || !isAnswer(message) || !/^finished/.test(String(message.status))) return;
  document.closed = true;
  events.push(messageStop(textOf(fieldsOf(fieldsOf(message.metadata).finish_details).type) ?? 'stop'));
}

/** The messages of the last turn: what came after the user's last words. */
export function lastTurn(messages: JsonRecord[]): JsonRecord[] {
  const asked = messages.findLastIndex(({ author, metadata }) => fieldsOf(author).role === 'user' && !fieldsOf(metadata).is_visually_hidden_from_conversation);
  return messages.slice(asked + 1);
}

/** What the user is shown of a turn: its final messages, or all its words when none is called final. */
export function answersOf(turn: JsonRecord[]): JsonRecord[] {
  const answers = turn.filter(isAnswer);
  const final = answers.filter(({ channel }) => channel === 'final');
  return final.length ? final : answers;
}

/** The entries of a list in a message's metadata. */
export const listedIn = ({ metadata }: JsonRecord, name: string): JsonRecord[] => listOf(fieldsOf(metadata)[name]).map(fieldsOf);
