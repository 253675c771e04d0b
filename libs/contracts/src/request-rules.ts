import * as z from 'zod';

const LENGTH_MAX = 10_000;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** True when PostgreSQL and JSON can carry the text: no U+0000 and no half of a surrogate pair. */
export const isCarriable = (text: string): boolean => !text.includes('\u0000') && !LONE_SURROGATE.test(text);

// Zod's own min and max look at the `length` of whatever comes, a text or not, and one that can't be compared makes them throw.
const isNotEmpty = (text: string): boolean => text.length > 0;

const requiredOr = (noun: string) => (issue: { input?: unknown }) => (issue.input === undefined ? `${noun} is required` : 'Expected string');

/** A prompt or query: trimmed, then 1 to 10,000 code points, in the words of decision R4. `noun` begins each message. */
export const promptText = (noun: 'Prompt' | 'Query') =>
  z
    .string({ error: requiredOr(noun) })
    .trim()
    .refine(isNotEmpty, `${noun} cannot be empty`)
    // A code point is at most two code units, so most texts need no counting.
    .refine((text) => text.length <= LENGTH_MAX || [...text].length <= LENGTH_MAX, `${noun} is too long`)
    .refine(isCarriable, `${noun} contains invalid characters`)
    .meta({ minLength: 1, maxLength: LENGTH_MAX });

/** Any other text of a request; `field` names it in messages (decision R4). */
export const fieldText = (field: string, lengthMax: number) =>
  z
    .string({ error: requiredOr(field) })
    .refine(isNotEmpty, `${field} cannot be empty`)
    .refine((text) => text.length <= lengthMax, `${field} is too long`)
    .refine(isCarriable, `${field} contains invalid characters`)
    .meta({ minLength: 1, maxLength: lengthMax });

/** A country of a provider's list, in capitals (decision R3). */
export const countryOf = (countries: readonly string[]) => {
  const known = new Set(countries);
  return z
    .string({ error: (issue) => (issue.input === undefined ? 'Country is required' : 'Expected string') })
    .refine((code) => known.has(code), 'Invalid country code')
    .meta({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2 code in capitals; `GET /v1/countries` lists those that are supported' });
};

/** An include flag: a boolean, false when absent (decision R5). */
export const flag = z.boolean({ error: 'Expected boolean' }).default(false);

/** A whole number in a range (decision R8). */
export const wholeNumber = (field: string, from: number, to: number) =>
  z
    .number({ error: `${field} must be an integer from ${from} to ${to}` })
    .refine((value) => Number.isInteger(value) && value >= from && value <= to, `${field} must be an integer from ${from} to ${to}`)
    .meta({ type: 'integer', minimum: from, maximum: to });

/** The include object: its flags, each optional. Absent means every flag at its default. */
export const includeFlags = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape, { error: 'Expected object' }).prefault({} as never);

/** Names of the body's fields that the schema does not know, dotted, at any depth of plain objects (decision R7). */
export function ignoredFields(body: unknown, schema: z.ZodType, prefix = ''): string[] {
  const shape = shapeOf(schema);
  if (!shape || typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  return Object.keys(body).flatMap((name) => {
    const inner = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return inner ? ignoredFields((body as Record<string, unknown>)[name], inner, `${prefix}${name}.`) : [`${prefix}${name}`];
  });
}

/** The fields of an object schema, also behind a default, an optional, a refinement or a transform. */
function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, z.ZodType>;
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return shapeOf(schema.def.innerType as z.ZodType);
  if (schema instanceof z.ZodPipe) return shapeOf(schema.def.in as z.ZodType) ?? shapeOf(schema.def.out as z.ZodType);
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).map(shapeOf).find(Boolean);
  return undefined;
}
