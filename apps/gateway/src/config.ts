import { busConfig } from '@overheard/bus';
import { databaseConfig } from '@overheard/database';
import { durationMs } from '@overheard/contracts';
import { contracts } from '@overheard/providers/contracts';
import { envInteger, envList, serviceConfig } from '@overheard/runtime';
import { storageConfig } from '@overheard/storage';
import * as z from 'zod';

const prices = Object.fromEntries(
  contracts.map(({ id, label, baseCredits }) => [
    `${id}_CREDITS`,
    envInteger().default(baseCredits).describe(`Base price of a request to ${label}, in credits`),
  ]),
);

export const config = serviceConfig
  .extend(busConfig.shape)
  .extend(databaseConfig.shape)
  .extend(storageConfig.shape)
  .extend({
    PORT: envInteger(0, 65_535).default(8080).describe('Port of the public HTTP API'),
    REDIS_URL: z.string().describe('Address of Redis, such as redis://:password@host:6379'),
    REDIS_PREFIX: z.string().default('overheard').describe('Begins the names of all keys in Redis'),
    WEBHOOK_ALLOWED_HOSTS: envList
      .prefault('')
      .describe('Private hosts that webhooks may go to all the same, separated by commas: `host` for ports 80 and 443, `host:port` for that port'),
    TASK_RETENTION: durationMs.prefault('24h').describe('How long a task and its answer are kept after completion'),
    REQUEST_LOG_RETENTION: durationMs.prefault('30d').describe('How long the request log is kept, in whole days'),
    QUEUE_MAX: envInteger(1).default(100_000).describe('The most outstanding tasks of an account'),
    TEST_QUEUE_MAX: envInteger(1).default(1000).describe("The most outstanding tasks of an account's test keys"),
  })
  .and(z.object(prices));
export type Config = z.infer<typeof config>;
