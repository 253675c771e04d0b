import { fieldText } from '@overheard/contracts';
import * as z from 'zod';
import { Problem } from './problem.js';

/** The value that fits; throws the 400 otherwise, with what is wrong with each field. */
export function valid<T>(schema: z.ZodType<T>, value: unknown): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  // Of several faults of a field the first says what to mend.
  const faults = [...read.error.issues].reverse().map(({ path, message }) => [path.join('.') || 'body', message] as const);
  throw new Problem(400, faults.at(-1)?.[1] ?? 'That can’t be read.', Object.fromEntries(faults));
}

/** An id in the path. One that can't be an id is as unknown as any other. */
export const isId = (text: string): boolean => z.guid().safeParse(text).success;

const PAGE_MAX = 200;
const PAGE_DEFAULT = 50;

export const limit = z.coerce
  .number('Expected a number')
  .int(`Expected a whole number from 1 to ${PAGE_MAX}`)
  .min(1, `Expected a whole number from 1 to ${PAGE_MAX}`)
  .max(PAGE_MAX, `Expected a whole number from 1 to ${PAGE_MAX}`)
  .default(PAGE_DEFAULT);

const PASSWORD_MIN = 12;
const PASSWORD_MAX = 200;

export const email = z.email('Expected an e-mail address').max(254, 'That is too long');
export const newPassword = fieldText('Password', PASSWORD_MAX).min(PASSWORD_MIN, `A password needs at least ${PASSWORD_MIN} characters`);
