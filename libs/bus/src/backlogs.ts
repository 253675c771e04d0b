import type { MsgRequest } from '@nats-io/jetstream';
import type { Bus } from './bus.js';
import { laneOfSubject, STREAM_NAMES } from './topology.js';

/** What of a subject is still to be done. */
export interface Backlog {
  /** The consumer that it is for; a lane that no worker has served yet has none. */
  consumer: string | undefined;
  /** The lane, where the subject is one. */
  lane: { provider: string; lane: string } | undefined;
  /** Not handed out yet. */
  waiting: number;
  /** Handed out, and not acknowledged yet. */
  inWork: number;
  /** How long the first of those that wait has been there. */
  oldestMs: number;
}

/** How full a stream is. */
export interface Fill {
  stream: string;
  bytes: number;
  maxBytes: number;
}

/** All that waits on the bus, by the names of the topology. */
export async function readBacklogs(bus: Bus): Promise<{ backlogs: Backlog[]; fills: Fill[] }> {
  const backlogs: Backlog[] = [];
  const fills: Fill[] = [];
  for (const stream of STREAM_NAMES) {
    const name = bus.names.stream(stream);
    const { state, config } = await bus.manager.streams.info(name, { subjects_filter: '>' });
    fills.push({ stream, bytes: state.bytes, maxBytes: config.max_bytes });
    const unserved = new Map(Object.entries(state.subjects ?? {}));
    const read = async (subject: string, { after, ...rest }: Pick<Backlog, 'consumer' | 'waiting' | 'inWork'> & { after: number }) => {
      unserved.delete(subject);
      const oldestMs = rest.waiting > 0 ? await ageOfNext(bus, { stream: name, subject, after }) : 0;
      backlogs.push({ ...rest, lane: laneOfSubject(subject), oldestMs });
    };
    for await (const { name: consumer, config, num_pending: waiting, num_ack_pending: inWork, delivered } of bus.manager.consumers.list(name))
      await read(String(config.filter_subject), { consumer, waiting, inWork, after: delivered.stream_seq });
    for (const [subject, waiting] of unserved) await read(subject, { consumer: undefined, waiting, inWork: 0, after: 0 });
  }
  return { backlogs, fills };
}

async function ageOfNext(bus: Bus, { stream, subject, after }: { stream: string; subject: string; after: number }): Promise<number> {
  // The client's types know this form of the request for another call only; the server takes it since 2.9.
  const next = { seq: after + 1, next_by_subj: subject } as unknown as MsgRequest;
  const first = await bus.manager.streams.getMessage(stream, next);
  return first ? Math.max(0, Date.now() - first.time.getTime()) : 0;
}
