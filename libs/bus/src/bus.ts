import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';
import { connect, errors, headers, nanos, nuid, type Msg, type MsgHdrs, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { presence, type Presence, type Serving } from '@overheard/contracts';
import { type Logger, NO_TRACE, systemClock, type Trace, traceHeaders } from '@overheard/runtime';
import type * as z from 'zod';
import { CLAIM_CHECK, ClaimCheck, INLINE_MAX_BYTES } from './claim-check.js';
import type { BusConfig } from './config.js';
import { gatherWrites } from './gathered-writes.js';
import { CONSUMERS, ensureTopology, Names, SUBJECTS } from './topology.js';

const TRANSIT_TTL_MS = 24 * 3_600_000;
const PUBLISH_WITHIN_MS = 4000;
const RESTORE_AGAIN_MS = 1000;
const JETSTREAM_WITHIN_MS = 60_000;
const BEHIND = 1000;
const NO_HURRY_MS = 10;
const ROLL_CALL_MS = 2000;
const ASK_AGAIN_MS = 200;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Somebody's message does not fit the schema it is published or read with. */
export class MessageInvalid extends Error {
  override name = 'MessageInvalid';
}

/** A cluster that was just started elects its leaders first, and answers nothing or with errors until then. */
async function patiently<T>(ensure: () => Promise<T>, logger: Logger): Promise<T> {
  for (const end = performance.now() + JETSTREAM_WITHIN_MS; ; await systemClock.sleep(RESTORE_AGAIN_MS)) {
    try {
      return await ensure();
    } catch (error) {
      if (performance.now() > end) throw error;
      logger.warn({ err: error }, 'JetStream is not ready yet');
    }
  }
}

/** A connection to NATS and everything this product does with it. All subjects are given without the prefix. */
export class Bus {
  /** What this process serves, for the roll call. */
  serves: () => Serving[] = () => [];
  private readonly reconnected: (() => unknown)[] = [];
  private readonly rung = new Set<string>();
  private unhurried: Promise<void> | undefined;

  private constructor(
    readonly connection: NatsConnection,
    readonly jetstream: JetStreamClient,
    readonly manager: JetStreamManager,
    readonly names: Names,
    readonly claimCheck: ClaimCheck,
    private readonly ensure: () => Promise<unknown>,
    private readonly logger: Logger,
  ) {}

  /** Connects, waits for the server as long as it takes, and makes sure that the topology is there: JetStream has a minute to be ready for that. */
  static async connect(config: BusConfig, service: string, logger: Logger): Promise<Bus> {
    gatherWrites();
    const connection = await connect({
      ...serversOf(config.NATS_URL),
      name: service,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      waitOnFirstConnect: true,
      // A stack for each question costs more than the question; errors name their subject.
      noAsyncTraces: true,
      pingInterval: 10_000,
      maxPingOut: 2,
    });
    const js = jetstream(connection, { timeout: PUBLISH_WITHIN_MS });
    // Whether JetStream is there shows in what follows, which has patience.
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const names = new Names(config.NATS_PREFIX);
    const ensure = async () => {
      await ensureTopology(manager, names, { replicas: config.NATS_REPLICAS, maxBytes: config.NATS_STREAM_MAX_BYTES });
      return new Objm(connection).create(names.bucket('transit'), { ttl: nanos(TRANSIT_TTL_MS), replicas: config.NATS_REPLICAS });
    };
    const transit = await patiently(ensure, logger);
    const bus = new Bus(connection, js, manager, names, new ClaimCheck(transit), ensure, logger);
    void bus.watch();
    bus.answerRollCall(service);
    return bus;
  }

  /** Publishes to a stream and resolves after its PubAck. A payload over 256 KiB goes by claim check. Safe to repeat with the same `id`; that of work begins with the task's. Whoever handles the message goes on with the trace. */
  async publish<T>(subject: string, schema: z.ZodType<T>, message: T, id: string, trace = NO_TRACE): Promise<{ stream: string; seq: number }> {
    const payload = encode(schema, message, subject);
    const head = headersOf(trace);
    const large = payload.length > INLINE_MAX_BYTES;
    if (large) head.set(CLAIM_CHECK, await this.claimCheck.leave(payload));
    const ack = await this.jetstream.publish(this.names.subject(subject), large ? new Uint8Array() : payload, { msgID: id, headers: head });
    return { stream: ack.stream, seq: ack.seq };
  }

  /** Tells whoever listens right now; nobody may be listening. */
  notify<T>(subject: string, schema: z.ZodType<T>, message: T): void {
    this.connection.publish(this.names.subject(subject), encode(schema, message, subject));
  }

  /** Before sending what nobody waits for: resolves within ten milliseconds, for all who ask meanwhile together, so that theirs is one write and wakes its receiver once. */
  noHurry(): Promise<void> {
    return (this.unhurried ??= systemClock.sleep(NO_HURRY_MS).then(() => (this.unhurried = undefined)));
  }

  /** Rings a bell: a message that says no more than whom it is for. However often it is rung in a turn of the event loop, it rings once. */
  ring(subject: string, forWhom: string): void {
    const bell = `${subject} ${forWhom}`;
    if (this.rung.has(bell)) return;
    this.rung.add(bell);
    setImmediate(() => {
      this.rung.delete(bell);
      if (!this.connection.isClosed() && !this.connection.isDraining()) this.connection.publish(this.names.subject(subject), forWhom);
    });
  }

  /** Listens to bells. */
  onRing(subject: string, heard: (forWhom: string) => void): Subscription {
    return this.connection.subscribe(this.names.subject(subject), { callback: (_error, message) => heard(message.string()) });
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

  /** Asks and waits for one answer. Where nobody hears it yet, as while a service starts anew, it asks again. Rejects when no answer comes in time. */
  async ask<Question, Answer>(
    subject: string,
    question: { schema: z.ZodType<Question>; message: Question },
    answer: z.ZodType<Answer>,
    timeoutMs: number,
  ): Promise<Answer> {
    const asked = encode(question.schema, question.message, subject);
    for (const end = performance.now() + timeoutMs; ; await systemClock.sleep(ASK_AGAIN_MS)) {
      try {
        const reply = await this.connection.request(this.names.subject(subject), asked, { timeout: Math.max(1, end - performance.now()) });
        return decode(answer, reply.data, subject);
      } catch (error) {
        const isUnheard = error instanceof errors.RequestError && error.isNoResponders();
        if (!isUnheard || performance.now() + ASK_AGAIN_MS > end) throw error;
      }
    }
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

  private answerRollCall(service: string): void {
    const self = { service, id: nuid.next(), since: new Date().toISOString() };
    this.connection.subscribe(this.names.subject(SUBJECTS.rollCall), {
      callback: (error, message) => void (error ?? message.respond(encode(presence, { ...self, serves: this.serves() }, SUBJECTS.rollCall))),
    });
  }

  /** Every process that is there right now, this one too; it is over when nobody has answered for a moment. */
  async rollCall(): Promise<Presence[]> {
    const present: Presence[] = [];
    const answers = await this.connection.requestMany(this.names.subject(SUBJECTS.rollCall), '', { strategy: 'stall', maxWait: ROLL_CALL_MS });
    for await (const answer of answers) present.push(decode(presence, answer.data, SUBJECTS.rollCall));
    return present;
  }

  /** Those publications to work lanes that their stream does not hold: it was made anew since, or the message is gone. */
  async findLost<Published extends PublishedWork>(published: Published[]): Promise<Published[]> {
    const lost: Published[] = [];
    for (const one of published) if (!(await this.holds(one))) lost.push(one);
    return lost;
  }

  private async holds({ id, provider, lane, seq }: PublishedWork): Promise<boolean> {
    if (seq === null) return false;
    const stored = await this.manager.streams.getMessage(this.names.lane(provider, lane).stream, { seq });
    // In a stream that was made anew the place may be another message's.
    return stored?.header.get('Nats-Msg-Id').startsWith(`${id}:`) ?? false;
  }

  /** Whether so many outcomes wait to be recorded that a task may well be over although its row does not say so. */
  async isOutcomeBehind(): Promise<boolean> {
    const { num_pending: waiting } = await this.manager.consumers.info(this.names.stream(CONSUMERS.record.stream), 'record');
    return waiting > BEHIND;
  }

  /**
   * Hears of each time that the connection is there again and the topology with it: a server that lost its disk has
   * forgotten both. What was sent meanwhile without a stream is lost. Who fails to do what it then has to do is called again.
   */
  onReconnect(heard: () => unknown): void {
    this.reconnected.push(heard);
  }

  private async watch(): Promise<void> {
    for await (const status of this.connection.status()) if (status.type === 'reconnect') await this.restore();
  }

  private async restore(): Promise<void> {
    try {
      await this.ensure();
      for (const heard of this.reconnected) await heard();
    } catch (error) {
      if (this.connection.isClosed()) return;
      this.logger.warn({ err: error }, 'not restored yet after a reconnect');
      setTimeout(() => void this.restore(), RESTORE_AGAIN_MS);
    }
  }

  /** Rejects when the server does not answer. */
  async ready(): Promise<void> {
    await this.connection.rtt();
  }

  async close(): Promise<void> {
    await this.connection.drain().catch(() => undefined);
  }
}

/** Where in which lane a task was published. */
export interface PublishedWork {
  id: string;
  provider: string;
  lane: string;
  seq: number | null;
}

/** Reads a message; throws `MessageInvalid` when it is no JSON or does not fit. */
export function decode<T>(schema: z.ZodType<T>, payload: Uint8Array, subject: string): T {
  let message: unknown;
  try {
    message = JSON.parse(decoder.decode(payload));
  } catch (cause) {
    throw new MessageInvalid(`a message on ${subject} is no JSON`, { cause });
  }
  return checked(schema, message, subject);
}

function encode<T>(schema: z.ZodType<T>, message: T, subject: string): Uint8Array {
  return encoder.encode(JSON.stringify(checked(schema, message, subject)));
}

function checked<T>(schema: z.ZodType<T>, message: unknown, subject: string): T {
  const read = schema.safeParse(message);
  if (read.success) return read.data;
  throw new MessageInvalid(
    `a message on ${subject} does not fit its schema: ${read.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; ')}`,
  );
}

/** Headers that carry a trace. */
function headersOf(trace: Trace): MsgHdrs {
  const head = headers();
  for (const [name, value] of Object.entries(traceHeaders(trace))) head.set(name, value);
  return head;
}

/** Credentials in the address become options, since the client does not read them there. */
function serversOf(addresses: string): { servers: string[]; user?: string; pass?: string } {
  const urls = addresses.split(',').map((address) => new URL(address.trim()));
  const { username, password } = urls[0] as URL;
  return { servers: urls.map((url) => url.host), ...(username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {}) };
}
