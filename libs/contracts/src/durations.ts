import * as z from 'zod';

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const FORM = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** Milliseconds of a duration as operations.md writes them: `500ms`, `2s`, `4m`, `24h`. Undefined when it is none. */
export function parseDurationMs(text: string): number | undefined {
  const [, amount, unit] = FORM.exec(text.trim()) ?? [];
  return amount === undefined ? undefined : Math.round(Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]);
}

/** A duration in the environment or on a command line, as milliseconds. */
export const durationMs = z.string().transform((text, context) => {
  const ms = parseDurationMs(text);
  if (ms !== undefined) return ms;
  context.addIssue({ code: 'custom', message: 'Expected a duration such as 500ms, 2s, 4m or 24h' });
  return z.NEVER;
});
