import { UpstreamFailure } from '@overheard/contracts';
import { createParser } from 'eventsource-parser';
import { isRecord, parseJson, type JsonRecord } from './json.js';

/** The JSON objects of an answer in order. Whoever reads them keeps of each only what the answer needs. */
export type Payloads = AsyncIterable<JsonRecord> | Iterable<JsonRecord>;

/**
 * The JSON objects of an upstream's answer as its pieces arrive, whether it comes as one JSON text, as server-sent
 * events, or as lines that hold one or several objects each, such as the frames of a WebSocket. Text that broke off gives
 * what had arrived; a page in place of an answer is `blocked`.
 */
export async function* readPayloads(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<JsonRecord, void> {
  let head = '';
  let form: Form | undefined;
  for await (const piece of pieces) {
    if (form) yield* form.read(piece).filter(isRecord);
    else {
      head = (head + piece).trimStart();
      if (head.length < HEAD_CHARACTERS) continue;
      form = formOf(head);
      yield* form.read(head).filter(isRecord);
    }
  }
  if (!form) {
    form = formOf(head);
    yield* form.read(head).filter(isRecord);
  }
  yield* form.end().filter(isRecord);
}

const PIECE_CHARACTERS = 64 * 1024;

/** A stored text in pieces, as it might have arrived, so that not all of its objects are there at once. */
export function* piecesOf(text: string): Generator<string, void> {
  for (let start = 0; start < text.length; start += PIECE_CHARACTERS) yield text.slice(start, start + PIECE_CHARACTERS);
}

export const isHtml = (text: string): boolean => /^\s*<(?:!doctype|html|head|body|\?xml)/i.test(text);

/** A way to write objects one after another. Both give what has been completed since the last call. */
interface Form {
  read(piece: string): unknown[];
  end(): unknown[];
}

/** What it takes to tell the forms apart: `<!doctype`. */
const HEAD_CHARACTERS = 9;

function formOf(head: string): Form {
  if (isHtml(head)) throw new UpstreamFailure('blocked', 'A web page came in place of an answer');
  return /^(?:data|event|id|retry)?:/.test(head) ? eventsForm() : linesForm();
}

// Some upstreams print JSON over several lines, with `data:` before the first one only, or append a bare JSON error to a
// stream that began well. No line of a field begins as JSON does.
const BARE_JSON = /[\r\n](?=[\t {}[\]"])/g;

/** Server-sent events. */
function eventsForm(): Form {
  let found: unknown[] = [];
  let before = '\n';
  const parser = createParser({
    onEvent({ data }) {
      for (const object of objectsIn(data)) found.push(object);
    },
  });
  const fed = (piece: string) => {
    found = [];
    parser.feed((before + piece).replace(BARE_JSON, '$&data:').slice(before.length));
    before = piece.slice(-1) || before;
    return found;
  };
  // Without the closing blank line the last event would be lost; one that was cut short betrays itself as broken JSON.
  return { read: fed, end: () => fed('\n\n') };
}

/** Lines, or one JSON text over any number of them: the first line tells. */
function linesForm(): Form {
  let pieces: string[] = [];
  let areLines: boolean | undefined;
  return {
    read(piece) {
      pieces.push(piece);
      if (areLines === false || !piece.includes('\n')) return [];
      const lines = pieces.join('').split(/\r?\n/);
      areLines ??= objectsIn(lines[0]!).length > 0;
      if (!areLines) return [];
      pieces = [lines.pop()!];
      return lines.flatMap(objectsIn);
    },
    end() {
      const text = pieces.join('');
      return parseJson(text) === undefined ? text.split(/\r?\n/).flatMap(objectsIn) : objectsIn(text);
    },
  };
}

/** What a text holds: one JSON value, or objects that follow one another; of a list its entries, in which frames may be texts. */
function objectsIn(text: string): unknown[] {
  const value = parseJson(text);
  if (value === undefined) return /^[\s\x1e]*\{/.test(text) ? objectsAmong(text) : [];
  return [value].flat().flatMap((entry: unknown) => (typeof entry === 'string' && entry.includes('{') ? objectsAmong(entry) : entry));
}

/** The objects that follow one another in a text, without what stands between them or has no end. */
function objectsAmong(text: string): unknown[] {
  const objects: unknown[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/"[^"\\\n]*(?:\\.[^"\\\n]*)*"|[{}]/g)) {
    if (token === '{' && depth++ === 0) start = index;
    if (token === '}' && depth > 0 && --depth === 0) objects.push(parseJson(text.slice(start, index + 1)));
  }
  return objects;
}
