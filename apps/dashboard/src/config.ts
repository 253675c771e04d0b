import { databaseConfig } from '@overheard/database';
import { envInteger, serviceConfig } from '@overheard/runtime';
import { z } from 'zod';

export const config = serviceConfig.extend(databaseConfig.shape).extend({
  PORT: envInteger(0, 65_535).default(8081).describe('Port of the dashboard'),
  ENCRYPTION_KEY: z.base64().describe('32 random bytes in base64: signs the sessions of the dashboard and encrypts webhook signing secrets'),
});
export type Config = z.infer<typeof config>;
