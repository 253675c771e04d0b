import { busConfig } from '@overheard/bus';
import { envInteger, envList, serviceConfig } from '@overheard/runtime';
import { storageConfig } from '@overheard/storage';
import * as z from 'zod';

export const config = serviceConfig
  .extend(busConfig.shape)
  .extend(storageConfig.shape)
  .extend({
    PROVIDERS: envList.describe('The providers this worker serves, such as one identifier, or several separated by commas'),
    WORKER_SLOTS: envInteger(1, 10_000).default(100).describe('How many tasks of each provider are at work at once'),
    SANDBOX_URL: z.url().optional().describe('Address of the sandbox, where requests of test keys are answered'),
    UPSTREAM_FALLBACK: z
      .enum(['none', 'sandbox'])
      .default('none')
      .describe('What answers for a provider without credentials: nothing, or (under `npm start` only) the sandbox'),
  });
export type Config = z.infer<typeof config>;
