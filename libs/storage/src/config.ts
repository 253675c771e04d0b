import { durationMs } from '@overheard/contracts';
import * as z from 'zod';

export const storageConfig = z.object({
  STORAGE_URL: z.url().describe('Public address under which stored HTML is served, without a slash at its end'),
  HTML_RETENTION: durationMs.prefault('24h').describe('How long a stored HTML page can be read, from its making'),
});
export type StorageConfig = z.infer<typeof storageConfig>;
