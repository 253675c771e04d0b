import { busConfig } from '@overheard/bus';
import { durationMs } from '@overheard/contracts';
import { databaseConfig, encryptionConfig } from '@overheard/database';
import { envInteger, envList, serviceConfig } from '@overheard/runtime';
import * as z from 'zod';

export const config = serviceConfig
  .extend(busConfig.shape)
  .extend(databaseConfig.shape)
  .extend(encryptionConfig.shape)
  .extend({
    WEBHOOK_ALLOWED_HOSTS: envList
      .prefault('')
      .describe('Private hosts that webhooks may go to all the same, separated by commas: `host` for ports 80 and 443, `host:port` for that port'),
    WEBHOOK_RETRY_DELAYS: envList
      .pipe(z.array(durationMs).min(1).max(4))
      .prefault('2m,4m,8m,16m')
      .describe('How long after a failed attempt the next one comes: at most four durations, separated by commas'),
    WEBHOOK_IN_FLIGHT_MAX: envInteger(1).default(2000).describe('The most deliveries that one process sends at the same time'),
    TASK_RETENTION: durationMs.prefault('24h').describe('How long a task and its answer are kept after completion'),
    REQUEST_LOG_RETENTION: durationMs.prefault('30d').describe('How long the request log, and the delivery log with it, is kept'),
  });
export type Config = z.infer<typeof config>;
