import { envInteger } from '@overheard/runtime';
import * as z from 'zod';

export const busConfig = z.object({
  NATS_URL: z.string().describe('Address of NATS, such as nats://user:password@host:4222; several are separated by commas'),
  NATS_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9]*$/, 'Expected lower-case letters and digits')
    .default('overheard')
    .describe('Begins the names of all streams and subjects, so that several deployments can share a server'),
  NATS_REPLICAS: envInteger(1, 5).default(1).describe('Replicas of each stream: 1 alone, 3 in a cluster'),
  NATS_STREAM_MAX_BYTES: envInteger(1)
    .default(4 * 1024 ** 3)
    .describe('The most bytes a stream may hold; when a work queue is full, tasks wait in PostgreSQL'),
});
export type BusConfig = z.infer<typeof busConfig>;
