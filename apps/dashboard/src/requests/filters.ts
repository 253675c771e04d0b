import { isCarriable } from '@overheard/contracts';
import * as z from 'zod';
import { limit } from '../validate.js';

const IDS_MAX = 200;

const text = (max: number) => z.string().trim().max(max, 'That is too long').refine(isCarriable, 'That has characters that can’t be looked for');
const moment = z.iso.datetime({ offset: true, error: 'Expected a time such as 2026-01-31T08:00:00Z' }).transform((iso) => Date.parse(iso));
const id = z.guid('Expected an id').toLowerCase();

/** What is left empty in a form filters nothing. */
const optional = <T extends z.ZodType>(schema: T) => z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

const filterShape = {
  provider: optional(text(50)),
  status: optional(
    z.union(
      [
        z.enum(['in_progress', 'ok', 'failed', 'refused']),
        z
          .string()
          .regex(/^[1-5]\d\d$/)
          .transform(Number),
      ],
      {
        error: 'Expected in_progress, ok, failed, refused, or a status code',
      },
    ),
  ),
  country: optional(text(2)),
  key: optional(id),
  mode: optional(z.enum(['sync', 'async'], { error: 'Expected sync or async' })),
  from: optional(moment),
  to: optional(moment),
  search: optional(text(500)),
};

export const requestFilters = z.object(filterShape);
export type RequestFilters = z.infer<typeof requestFilters>;

export const requestsQuery = z.object({
  ...filterShape,
  since: optional(id),
  ids: optional(
    z
      .string()
      .transform((list) => list.split(','))
      .pipe(z.array(id).max(IDS_MAX, `Expected at most ${IDS_MAX} ids`)),
  ),
  cursor: optional(id),
  limit,
});
export type RequestsQuery = z.infer<typeof requestsQuery>;

/** The ids that begin so, from the first to the last; undefined for a text that is to be looked for in prompts. */
export function idsThatBegin(search: string): [first: string, last: string] | undefined {
  const digits = search.toLowerCase().replaceAll('-', '');
  // An id of any age begins with a zero; so words like "facade" and "decade" remain words.
  if (!/^0[0-9a-f]{7,31}$/.test(digits) || !/^[0-9a-f-]+$/i.test(search)) return undefined;
  return [uuidOf(digits.padEnd(32, '0')), uuidOf(digits.padEnd(32, 'f'))];
}

/** The first id that a request made at that moment could have: a UUIDv7 begins with its milliseconds. */
export const firstIdOf = (ms: number): string => uuidOf(Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0').slice(0, 12).padEnd(32, '0'));

export const momentOf = (uuid: string): number => Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);

const uuidOf = (digits: string): string => digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
