// Upstreams change their JSON without notice. These readers never throw: what is not as expected reads as absent.

export type JsonRecord = Record<string, unknown>;

/** An object's fields; none when the value is no object. */
export const fieldsOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

export const isRecord = (value: unknown): value is JsonRecord => typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A text that says something; absent when empty or no text. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value : undefined);

export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
