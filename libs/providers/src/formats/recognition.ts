import type { JsonRecord } from './json.js';
import { readPayloads, type Payloads } from './payloads.js';

/** A form in which an upstream answers. */
export interface Format<Answer> {
  /** Its name in operations.md. */
  name: string;
  /** Whether a payload can be of this format alone. */
  recognises(payload: JsonRecord): boolean;
  read(payloads: Payloads): Promise<Answer>;
}

interface Reading<Answer> {
  /** Those that the answer may have; what none of them recognises is of the first one. */
  formats: readonly Format<Answer>[];
  /** Gets every payload as it came, where somebody wants them; otherwise nobody keeps them. */
  kept?: JsonRecord[] | undefined;
}

/** Reads an answer from its text as that arrives. */
export async function readAnswer<Answer>(pieces: AsyncIterable<string> | Iterable<string>, { formats, kept }: Reading<Answer>): Promise<Answer> {
  const payloads = kept ? keeping(readPayloads(pieces), kept) : readPayloads(pieces);
  return formats.length === 1 ? formats[0]!.read(payloads) : recognised(payloads, formats);
}

/** No format begins with so many payloads that might be of another. */
const UNRECOGNISED_MAX = 100;

async function recognised<Answer>(payloads: AsyncGenerator<JsonRecord, void>, formats: readonly Format<Answer>[]): Promise<Answer> {
  const first: JsonRecord[] = [];
  let format: Format<Answer> | undefined;
  while (!format && first.length < UNRECOGNISED_MAX) {
    const { value } = await payloads.next();
    if (!value) break;
    first.push(value);
    format = formats.find(({ recognises }) => recognises(value));
  }
  return (format ?? formats[0]!).read(chained(first, payloads));
}

async function* chained(first: JsonRecord[], rest: AsyncIterable<JsonRecord>): AsyncGenerator<JsonRecord, void> {
  yield* first;
  yield* rest;
}

async function* keeping(payloads: AsyncIterable<JsonRecord>, kept: JsonRecord[]): AsyncGenerator<JsonRecord, void> {
  for await (const payload of payloads) {
    kept.push(payload);
    yield payload;
  }
}
