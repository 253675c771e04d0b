import { busConfig } from '@overheard/bus';
import { durationMs } from '@overheard/contracts';
import { databaseConfig } from '@overheard/database';
import { serviceConfig } from '@overheard/runtime';
import * as z from 'zod';

export const config = serviceConfig
  .extend(busConfig.shape)
  .extend(databaseConfig.shape)
  .extend({
    TASK_RETENTION: durationMs.prefault('24h').describe('How long a task and its answer are kept after completion'),
    CLAIMS_MAX: z.coerce.number().int().min(1).default(5).describe('How often a task is handed to a worker that then dies, before it is given up'),
  });
export type Config = z.infer<typeof config>;
