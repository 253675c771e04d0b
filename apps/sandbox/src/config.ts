import { envInteger, serviceConfig } from '@overheard/runtime';
import type * as z from 'zod';

export const config = serviceConfig.extend({
  PORT: envInteger(0, 65_535).default(8090).describe('Port of the stand-in upstreams, the call log and the webhook inbox; 0 takes any free one'),
});
export type Config = z.infer<typeof config>;
