import { parseArgs } from 'node:util';
import * as z from 'zod';
import { UsageError } from './usage-error.js';

/** A whole number on the command line. */
export const wholeNumber = (from: number) => z.coerce.number({ error: 'Expected a number' }).int().min(from);

/** A switch: there or not. */
export const flag = z.boolean().optional();

/** Reads `--name value` options by a schema; switches are its booleans. Throws `UsageError` with every fault. */
export function readOptions<Shape extends z.ZodRawShape>(words: string[], schema: z.ZodObject<Shape>): z.infer<z.ZodObject<Shape>> {
  const isSwitch = (name: string) => schema.shape[name] === flag;
  const options = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, { type: isSwitch(name) ? ('boolean' as const) : ('string' as const) }]));
  const read = schema.safeParse(parse(words, options));
  if (read.success) return read.data;
  throw new UsageError(read.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`).join('; '));
}

function parse(words: string[], options: NonNullable<Parameters<typeof parseArgs>[0]>['options']): Record<string, unknown> {
  try {
    return parseArgs({ args: words, options: options ?? {}, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
