import { fieldsOf, isRecord, listOf, numberOf, textOf, type JsonRecord } from './json.js';

// Turns the objects of upstreams into ours field by field: a shape says under which names each field is found there.

type Get = (record: JsonRecord) => unknown;
export type Shape = Record<string, Get>;

/** The fields of a shape that a value has; undefined when it has none. */
export const shaped = (shape: Shape, value: unknown): JsonRecord | undefined =>
  given(Object.fromEntries(Object.entries(shape).map(([name, get]) => [name, get(fieldsOf(value))]))) as JsonRecord | undefined;

/** A value without what is empty in it, at any depth (decision S13). */
export function given(value: unknown): unknown {
  if (Array.isArray(value)) return someOf(value.map(given).filter((entry) => entry !== undefined));
  if (!isRecord(value)) return value === null || value === '' ? undefined : value;
  const told = Object.entries(value).flatMap(([name, inner]) => {
    const kept = given(inner);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return told.length ? Object.fromEntries(told) : undefined;
}

/** Reads a field by the first of its names that holds something of its kind. */
const field =
  (read: (value: unknown) => unknown) =>
  (...names: string[]): Get =>
  (record) => {
    for (const name of names) {
      const value = read(record[name]);
      if (value !== undefined) return value;
    }
    return undefined;
  };

export const text = field(textOf);
export const number = field(numberOf);
export const integer = field((value) => (Number.isInteger(value) ? value : undefined));
export const yesOrNo = field((value) => (typeof value === 'boolean' ? value : undefined));
export const texts = field((value) => someOf(listOf(value).filter(textOf)));
export const records = field((value) => someOf(listOf(value).filter(isRecord)));
/** An object whose fields no document lists. */
export const open = field((value) => (isRecord(value) ? value : undefined));
export const object = (shape: Shape, ...names: string[]): Get => field((value) => shaped(shape, value))(...names);
export const objects = (shape: Shape, ...names: string[]): Get =>
  field((value) => someOf(listOf(value).flatMap((entry) => shaped(shape, entry) ?? [])))(...names);

const someOf = <Entry>(list: Entry[]): Entry[] | undefined => (list.length ? list : undefined);
