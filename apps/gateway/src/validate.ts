import type { FieldProblem } from '@overheard/contracts';
import type { FastifyReply } from 'fastify';
import * as z from 'zod';
import { ApiError } from './api-error.js';

const NAME_FORM = /^[A-Za-z0-9_.-]{1,64}$/;
const NAMES_MAX = 20;

/** A value that fits, or everything that is wrong with it. */
export type Checked<T> = { value: T; problems?: undefined } | { value?: undefined; problems: FieldProblem[] };

/** Holds a value against a schema; field names are dotted and begin with `prefix`. */
export function check<T>(schema: z.ZodType<T>, value: unknown, prefix = ''): Checked<T> {
  const read = schema.safeParse(value);
  if (read.success) return { value: read.data };
  const fieldOf = (path: PropertyKey[]) => [...(prefix ? [prefix] : []), ...path.map(String)].join('.') || 'body';
  const problems = read.error.issues.map(({ path, message }) => ({ field: fieldOf(path), message }));
  // One problem a field: the first says what to mend.
  return { problems: problems.filter(({ field }, index) => problems.findIndex((problem) => problem.field === field) === index) };
}

/** The value that fits; throws the 400 otherwise. */
export function valid<T>(schema: z.ZodType<T>, value: unknown): T {
  const { value: fitting, problems } = check(schema, value);
  if (problems) throw ApiError.invalid(problems);
  return fitting;
}

/** Names the fields that nobody knows in `X-Ignored-Fields` (decision R7). */
export function nameIgnored(reply: FastifyReply, names: string[]): void {
  const safe = names.filter((name) => NAME_FORM.test(name)).slice(0, NAMES_MAX);
  if (safe.length > 0) void reply.header('x-ignored-fields', safe.join(', '));
}

/** A task's id in the path (decision S4). */
export const taskId = z.object({ taskId: z.guid('taskId must be a UUID') });
