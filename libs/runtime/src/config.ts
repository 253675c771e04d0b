import * as z from 'zod';
import { FAILPOINT_FORM, FAILPOINTS } from './failpoint.js';

/** A switch in the environment: `1`, `true`, `yes` or `on`, and their opposites. */
export const envSwitch = z.stringbool();

/** A whole number in the environment. */
export const envInteger = (from = 0, to = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(from).max(to);

/** A comma separated list in the environment, without blanks and empty entries. */
export const envList = z.string().transform((text) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean),
);

/** What every service needs to know. */
export const serviceConfig = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address that the service listens on'),
  HEALTH_PORT: envInteger(0, 65_535).default(0).describe('Port of /healthz, /readyz and /metrics; 0 takes any free one'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').describe('The least severe log line that is written'),
  PARENT_STDIN: envSwitch
    .default(false)
    .describe('Set by `npm start`: the service ends when its standard input does, so that it never outlives its supervisor'),
  FAILPOINT: z
    .string()
    .regex(FAILPOINT_FORM)
    .optional()
    .describe(`For tests: where the service dies (\`name:kill\`) or freezes (\`name:stop\`), once. Names: ${FAILPOINTS.join(', ')}`),
});
export type ServiceConfig = z.infer<typeof serviceConfig>;

/** A process's settings could not be read; `message` has one line a variable. */
export class ConfigInvalid extends Error {
  override name = 'ConfigInvalid';
}

/** Reads settings from the environment. Empty variables count as absent. Throws `ConfigInvalid` with all faults at once. */
export function readConfig<Schema extends z.ZodType>(schema: Schema, environment: NodeJS.ProcessEnv = process.env): z.infer<Schema> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  throw new ConfigInvalid(read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
}
