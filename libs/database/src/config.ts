import { envInteger } from '@overheard/runtime';
import * as z from 'zod';

export const databaseConfig = z.object({
  DATABASE_URL: z.string().describe('Address of PostgreSQL, such as postgres://user:password@host:5432/overheard'),
  DATABASE_POOL: envInteger(1, 1000).default(10).describe('The most connections this process opens'),
});
export type DatabaseConfig = z.infer<typeof databaseConfig>;
