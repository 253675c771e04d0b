import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';
import { connect, headers, nanos, type Msg, type MsgHdrs, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { context, propagation } from '@opentelemetry/api';
import type { Logger } from '@overheard/runtime';
import type { z } from 'zod';
import { CLAIM_CHECK, ClaimCheck, INLINE_MAX_BYTES } from './claim-check.js';
import type { BusConfig } from './config.js';
import { ensureTopology, Names } from './topology.js';

const TRANSIT_TTL_MS = 24 * 3_600_000;
const PUBLISH_WITHIN_MS = 4000;

/** Somebody's message does not fit the schema it is published or read with. */
export class MessageInvalid extends Error {
  override name = 'MessageInvalid';
}

/** A connection to NATS and everything this product does with it. All subjects are given without the prefix. */
export class Bus {
  private constructor(
    readonly connection: NatsConnection,
    readonly jetstream: JetStreamClient,
    readonly manager: JetStreamManager,
    readonly names: Names,
    readonly claimCheck: ClaimCheck,
    private readonly logger: Logger,
  ) {}

  /** Connects, waits for the server as long as it takes, and makes sure that the topology is there. */
  static async connect(config: BusConfig, service: string, logger: Logger): Promise<Bus> {
    const connection = await connect({
      ...serversOf(config.NATS_URL),
      name: service,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      waitOnFirstConnect: true,
      pingInterval: 10_000,
      maxPingOut: 2,
    });
    const js = jetstream(connection, { timeout: PUBLISH_WITHIN_MS });
    const manager = await jetstreamManager(connection);
    const names = new Names(config.NATS_PREFIX);
    await ensureTopology(manager, names, { replicas: config.NATS_REPLICAS, maxBytes: config.NATS_STREAM_MAX_BYTES });
    const transit = await new Objm(connection).create(names.bucket('transit'), { ttl: nanos(TRANSIT_TTL_MS), replicas: config.NATS_REPLICAS });
    return new Bus(connection, js, manager, names, new ClaimCheck(transit), logger);
  }

  /** Publishes to a stream and resolves after its PubAck. A payload over 256 KiB goes by claim check. Safe to repeat with the same `id`. */
  async publish<T>(subject: string, schema: z.ZodType<T>, message: T, id: string): Promise<{ stream: string; seq: number }> {
    const payload = encode(schema, message, subject);
    const head = tracedHeaders();
    const large = payload.length > INLINE_MAX_BYTES;
    if (large) head.set(CLAIM_CHECK, await this.claimCheck.leave(payload));
    const ack = await this.jetstream.publish(this.names.subject(subject), large ? new Uint8Array() : payload, { msgID: id, headers: head });
    return { stream: ack.stream, seq: ack.seq };
  }

  /** Tells whoever listens right now; nobody may be listening. */
  notify<T>(subject: string, schema: z.ZodType<T>, message: T): void {
    this.connection.publish(this.names.subject(subject), encode(schema, message, subject), { headers: tracedHeaders() });
  }

  /** Rings a bell: a message that says nothing but that it came. */
  ring(subject: string): void {
    this.connection.publish(this.names.subject(subject));
  }

  /** Listens to bells. */
  onRing(subject: string, heard: () => void): Subscription {
    return this.connection.subscribe(this.names.subject(subject), { callback: () => heard() });
  }

  /** Listens to notices. One that does not fit the schema is logged and dropped. */
  onNotice<T>(subject: string, schema: z.ZodType<T>, take: (message: T) => void): Subscription {
    return this.connection.subscribe(this.names.subject(subject), {
      callback: (error, message) => {
        if (error) return;
        try {
          take(decode(schema, message.data, subject));
        } catch (fault) {
          this.logger.error({ err: fault, subject }, 'notice dropped');
        }
      },
    });
  }

  /** Asks and waits for one answer. Rejects when none comes in time. */
  async ask<Question, Answer>(
    subject: string,
    question: { schema: z.ZodType<Question>; message: Question },
    answer: z.ZodType<Answer>,
    timeoutMs: number,
  ): Promise<Answer> {
    const reply = await this.connection.request(this.names.subject(subject), encode(question.schema, question.message, subject), {
      timeout: timeoutMs,
      headers: tracedHeaders(),
    });
    return decode(answer, reply.data, subject);
  }

  /** Answers questions, in turn with all other instances of the service. A question that fails gets no answer: whoever asked tries again. */
  onQuestion<Question, Answer>(
    subject: string,
    question: z.ZodType<Question>,
    answer: z.ZodType<Answer>,
    reply: (message: Question) => Promise<Answer>,
  ): Subscription {
    const respond = async (message: Msg) => {
      try {
        message.respond(encode(answer, await reply(decode(question, message.data, subject)), subject));
      } catch (fault) {
        this.logger.error({ err: fault, subject }, 'question not answered');
      }
    };
    return this.connection.subscribe(this.names.subject(subject), { queue: 'all', callback: (error, message) => void (error ?? respond(message)) });
  }

  /** Hears of each time that the connection is there again. What was sent meanwhile without a stream is lost. */
  onReconnect(heard: () => void): void {
    const watch = async () => {
      for await (const status of this.connection.status()) if (status.type === 'reconnect') heard();
    };
    void watch();
  }

  /** Rejects when the server does not answer. */
  async ready(): Promise<void> {
    await this.connection.rtt();
  }

  async close(): Promise<void> {
    await this.connection.drain().catch(() => undefined);
  }
}

/** Reads a message; throws `MessageInvalid` when it is no JSON or does not fit. */
export function decode<T>(schema: z.ZodType<T>, payload: Uint8Array, subject: string): T {
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder().decode(payload));
  } catch (cause) {
    throw new MessageInvalid(`a message on ${subject} is no JSON`, { cause });
  }
  return checked(schema, message, subject);
}

function encode<T>(schema: z.ZodType<T>, message: T, subject: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(checked(schema, message, subject)));
}

function checked<T>(schema: z.ZodType<T>, message: unknown, subject: string): T {
  const read = schema.safeParse(message);
  if (read.success) return read.data;
  throw new MessageInvalid(
    `a message on ${subject} does not fit its schema: ${read.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; ')}`,
  );
}

/** Headers that carry the trace of whatever is going on. */
function tracedHeaders(): MsgHdrs {
  const head = headers();
  propagation.inject(context.active(), head, { set: (carrier, key, value) => carrier.set(key, value) });
  return head;
}

/** Credentials in the address become options, since the client does not read them there. */
function serversOf(addresses: string): { servers: string[]; user?: string; pass?: string } {
  const urls = addresses.split(',').map((address) => new URL(address.trim()));
  const { username, password } = urls[0] as URL;
  return { servers: urls.map((url) => url.host), ...(username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {}) };
}
