import { PRIORITY_MAX, PRIORITY_MIN } from '@overheard/contracts';
import { AckPolicy, DiscardPolicy, RetentionPolicy, StorageType, type ConsumerConfig, type JetStreamManager, type StreamConfig } from '@nats-io/jetstream';
import { nanos, type WithRequired } from '@nats-io/transport-node';

// Everything that exists on the bus. Subjects here are without the deployment's prefix, which `Names` adds.

/** The lane of requests that somebody waits for; before all others. */
export const SYNC_LANE = 'sync';

/** The lane of a task's priority: `p10` first … `p01` last. */
export const laneOf = (priority: number): string => `p${String(priority).padStart(2, '0')}`;

const TASK_LANES = Array.from({ length: PRIORITY_MAX - PRIORITY_MIN + 1 }, (_, index) => laneOf(PRIORITY_MAX - index));

/** All lanes of a provider in the order in which they are served. */
export const LANES: readonly string[] = [SYNC_LANE, ...TASK_LANES];

export const SUBJECTS = {
  work: (provider: string, lane: string) => `work.${provider}.${lane}`,
  wake: (provider: string) => `wake.${provider}`,
  cancel: (provider: string) => `cancel.${provider}`,
  finished: 'evt.finished',
  recorded: 'evt.recorded',
  settled: 'evt.settled',
  over: 'over',
  claim: 'rpc.claim',
  attemptFailed: 'rpc.attempt-failed',
  rollCall: 'rpc.roll-call',
  inbox: (gateway: string) => `inbox.${gateway}`,
} as const;

type StreamName = 'WORK_SYNC' | 'WORK' | 'OUTCOME' | 'EVENTS';

const DAY_MS = 86_400_000;
const workQueue = { retention: RetentionPolicy.Workqueue, discard: DiscardPolicy.New };

/** Streams by name: what they hold and for how long (architecture.md, Streams). */
const STREAMS: Record<StreamName, Partial<StreamConfig> & { subjects: string[] }> = {
  WORK_SYNC: { subjects: [SUBJECTS.work('*', SYNC_LANE)], ...workQueue },
  WORK: { subjects: TASK_LANES.map((lane) => SUBJECTS.work('*', lane)), ...workQueue },
  OUTCOME: { subjects: [SUBJECTS.finished], ...workQueue },
  EVENTS: { subjects: [SUBJECTS.recorded, SUBJECTS.settled], retention: RetentionPolicy.Limits, discard: DiscardPolicy.Old, max_age: nanos(DAY_MS) },
};

/** Streams by the names they have here. */
export const STREAM_NAMES = Object.keys(STREAMS) as StreamName[];

/** Durable consumers that take turns over all instances of the service that names them. */
export const CONSUMERS = {
  record: { stream: 'OUTCOME', subject: SUBJECTS.finished },
  settle: { stream: 'EVENTS', subject: SUBJECTS.recorded },
  deliver: { stream: 'EVENTS', subject: SUBJECTS.settled },
} as const satisfies Record<string, { stream: StreamName; subject: string }>;
export type ConsumerName = keyof typeof CONSUMERS;

/** How long a message may be held without a sign of life before another instance gets it. */
export const ACK_WAIT_MS = 30_000;

/** The names of this deployment: several share one server by their prefixes. */
export class Names {
  constructor(private readonly prefix: string) {}

  subject = (subject: string): string => `${this.prefix}.${subject}`;
  stream = (stream: string): string => `${this.prefix.toUpperCase()}_${stream}`;
  bucket = (bucket: string): string => `${this.prefix}-${bucket}`;
  /** The stream and durable consumer of one lane. */
  lane = (provider: string, lane: string) => ({ stream: this.stream(lane === SYNC_LANE ? 'WORK_SYNC' : 'WORK'), durable: `${provider}_${lane}` });
}

/** The provider and lane of a work subject; undefined for any other. */
export function laneOfSubject(subject: string): { provider: string; lane: string } | undefined {
  const [work, provider, lane] = subject.split('.').slice(-3);
  return work === 'work' && provider && lane ? { provider, lane } : undefined;
}

export interface TopologyOptions {
  replicas: number;
  maxBytes: number;
}

/** Makes sure that all streams and shared consumers exist as the table says; safe to run by every process at once. */
export async function ensureTopology(manager: JetStreamManager, names: Names, { replicas, maxBytes }: TopologyOptions): Promise<void> {
  for (const [name, stream] of Object.entries(STREAMS)) {
    const config = {
      ...stream,
      name: names.stream(name),
      subjects: stream.subjects.map(names.subject),
      storage: StorageType.File,
      num_replicas: replicas,
      max_bytes: maxBytes,
    };
    await ensureStream(manager, config);
  }
  for (const name of Object.keys(STREAMS)) await renewConsumersAhead(manager, names.stream(name));
  for (const [durable, { stream, subject }] of Object.entries(CONSUMERS)) await ensureConsumer(manager, names.stream(stream), durable, names.subject(subject));
}

/** Makes sure that the durable consumers of a provider's lanes exist. */
export async function ensureLanes(manager: JetStreamManager, names: Names, provider: string): Promise<void> {
  for (const lane of LANES) {
    const { stream, durable } = names.lane(provider, lane);
    await ensureConsumer(manager, stream, durable, names.subject(SUBJECTS.work(provider, lane)));
  }
}

async function ensureStream(manager: JetStreamManager, config: WithRequired<Partial<StreamConfig>, 'name'>): Promise<void> {
  const exists = await manager.streams.info(config.name).then(() => true, isMissing);
  if (exists) await manager.streams.update(config.name, config);
  // Two processes may come here at once: adding what is there with the same configuration is no error.
  else await manager.streams.add(config);
}

async function ensureConsumer(manager: JetStreamManager, stream: string, durable: string, subject: string): Promise<void> {
  const config: Partial<ConsumerConfig> = {
    durable_name: durable,
    filter_subject: subject,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    // Slots bound what is at work; poison is counted by claims in PostgreSQL (architecture.md).
    max_deliver: -1,
    max_ack_pending: -1,
  };
  await manager.consumers.add(stream, config);
}

/**
 * A server that lost the end of a stream, as on a full disk, may still know its consumers as they were: they would pass over whatever comes until
 * the stream is as long again. Those are made anew, and deliver once more what is there.
 */
async function renewConsumersAhead(manager: JetStreamManager, stream: string): Promise<void> {
  const consumers = [];
  for await (const consumer of manager.consumers.list(stream)) consumers.push(consumer);
  // Looked at last, so that a stream that grows meanwhile is no shorter than what was delivered of it.
  const { state } = await manager.streams.info(stream);
  for (const { name, config } of consumers.filter((consumer) => consumer.delivered.stream_seq > state.last_seq)) {
    await manager.consumers.delete(stream, name).catch(isMissing);
    await manager.consumers.add(stream, config);
  }
}

/** False for "there is none"; any other error is passed on. */
function isMissing(error: unknown): false {
  if (error instanceof Error && /not found/i.test(error.message)) return false;
  throw error;
}
