import type { ConsumerInfo, MsgRequest } from '@nats-io/jetstream';
import type { Bus } from './bus.js';
import { STREAM_NAMES } from './topology.js';

/** What a durable consumer has still to do. */
export interface Backlog {
  consumer: string;
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
    const { state, config } = await bus.manager.streams.info(name);
    fills.push({ stream, bytes: state.bytes, maxBytes: config.max_bytes });
    for await (const info of bus.manager.consumers.list(name)) backlogs.push(await backlogOf(bus, info));
  }
  return { backlogs, fills };
}

async function backlogOf(bus: Bus, { stream_name: stream, name, num_pending, num_ack_pending, delivered, config }: ConsumerInfo): Promise<Backlog> {
  // The client's types know this form of the request for another call only; the server takes it since 2.9.
  const next = { seq: delivered.stream_seq + 1, next_by_subj: config.filter_subject } as unknown as MsgRequest;
  const first = num_pending > 0 ? await bus.manager.streams.getMessage(stream, next) : null;
  return { consumer: name, waiting: num_pending, inWork: num_ack_pending, oldestMs: first ? Math.max(0, Date.now() - first.time.getTime()) : 0 };
}
