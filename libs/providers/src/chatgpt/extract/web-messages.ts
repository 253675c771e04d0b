import { fieldsOf, isRecord, listOf, textOf, type JsonRecord } from '../../formats/json.js';
import { applyPatch, PatchReader, type Patch } from './patches.js';
import { messageDelta, messageStart, messageStop, type RawEvent } from './raw-response.js';

/** What the web app sent, as it stands after each payload: its event stream, its conversation as JSON, or a list of messages. */
export class WebConversation {
  /** Whether the stream says that it is over. */
  ended = false;
  /** The model of a conversation whose messages name none. */
  model: string | undefined;
  private listed: JsonRecord[] | undefined;
  private readonly reader = new PatchReader();
  private readonly documents = new Map<unknown, Document>();
  private current: Document | undefined;

  /** `tell` gets the stream's events in the interface's form as they happen. */
  constructor(private readonly tell: (event: RawEvent) => void = () => {}) {}

  /** The messages in order; each in its latest form. */
  get messages(): JsonRecord[] {
    return this.listed ?? [...this.documents.values()].map(messageOf);
  }

  take(payload: JsonRecord): void {
    const listed = isRecord(payload.mapping) ? branchOf(payload) : [payload.linear_conversation, payload.messages].find(Array.isArray);
    if (listed) {
      this.listed ??= listed.map(fieldsOf).map((entry) => fieldsOf(entry.message ?? entry));
      this.model ??= textOf(payload.default_model_slug);
    } else if (isMessage(payload)) this.open(payload);
    else if ('v' in payload) this.change(payload);
    else {
      this.ended ||= payload.type === 'message_stream_complete';
      this.tell(eventOf(payload));
    }
    if (this.current) this.close(this.current);
  }

  /** Carries out a delta. What is no piece of the answer's text is told as it came. */
  private change(payload: JsonRecord): void {
    const patches = this.reader.read(payload);
    const others = patches.filter((patch) => !this.isTold(patch));
    if (others.length === patches.length) this.tell({ type: 'delta', ...payload });
    else if (others.length) this.tell({ type: 'delta', p: '', o: 'patch', v: others });
  }

  /** Carries out a patch; true when the events now tell what it did. */
  private isTold({ p, o, v }: Patch): boolean {
    if (isRecord(v) && isMessage(v)) return this.open(v);
    const document = this.current;
    if (!document) return false;
    document.root = applyPatch(document.root, { p, o, v: typeof v === 'object' ? structuredClone(v) : v });
    if (o !== 'append' || typeof v !== 'string' || !/^\/message\/content\/parts\/\d+$/.test(p) || !isAnswer(messageOf(document))) return false;
    document.told += v.length;
    this.tell(messageDelta(v));
    return true;
  }

  /** Takes in a message as it stands, new or again. */
  private open(root: JsonRecord): true {
    const message = fieldsOf(root.message ?? root);
    const key = message.id ?? root;
    const known = this.documents.get(key);
    const document = known ?? { root, told: 0, closed: false };
    // Patches change it, and the events have to stay as they came.
    document.root = structuredClone({ ...root, message });
    this.documents.set(key, document);
    this.current = document;
    if (!isAnswer(message)) {
      this.tell({ type: 'delta', p: '', o: 'add', v: root });
      return true;
    }
    if (!known) this.tell(messageStart({ id: message.id, model: fieldsOf(message.metadata).model_slug }));
    const text = textOfMessage(message);
    if (text.length > document.told) this.tell(messageDelta(text.slice(document.told)));
    document.told = text.length;
    return true;
  }

  /** Tells of an answer's end, once. */
  private close(document: Document): void {
    const message = messageOf(document);
    if (document.closed || !isAnswer(message) || !/^finished/.test(String(message.status))) return;
    document.closed = true;
    this.tell(messageStop(textOf(fieldsOf(fieldsOf(message.metadata).finish_details).type) ?? 'stop'));
  }
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
