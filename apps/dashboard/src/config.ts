import { busConfig } from '@overheard/bus';
import { databaseConfig, encryptionConfig } from '@overheard/database';
import { envInteger, envList, serviceConfig } from '@overheard/runtime';
import { storageConfig } from '@overheard/storage';
import * as z from 'zod';

/** Without a slash at its end, so that paths can be put behind it. */
const address = z.url().transform((url) => url.replace(/\/+$/, ''));

export const config = serviceConfig
  .extend(busConfig.shape)
  .extend(databaseConfig.shape)
  .extend(encryptionConfig.shape)
  .extend(storageConfig.pick({ STORAGE_URL: true }).shape)
  .extend({
    PORT: envInteger(0, 65_535).default(8081).describe('Port of the dashboard'),
    GATEWAY_URL: address.describe('Address at which the dashboard reaches the gateway, to run what is asked in it'),
    PUBLIC_URL: address.optional().describe('Address of the API as clients reach it, which the dashboard shows; without it GATEWAY_URL'),
    TRUSTED_PROXIES: envList
      .prefault('')
      .describe(
        'Addresses or networks of the reverse proxies before the dashboard, separated by commas; only from these is it believed who calls and whether by https',
      ),
  });
export type Config = z.infer<typeof config>;
