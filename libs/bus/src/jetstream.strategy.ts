import { BaseRpcContext, type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { inSpan, type Logger, SpanKind, type Trace, traceIn } from '@overheard/runtime';
import { defaultIfEmpty, lastValueFrom } from 'rxjs';
import { type Bus, MessageInvalid } from './bus.js';
import { CLAIM_CHECK } from './claim-check.js';
import type { Delivery } from './delivery.js';

const HEARTBEAT_MS = 10_000;
const FAILED_NAK_MS = 2000;

/** Where a pattern's messages come from: a shared consumer or a provider's lanes. */
export interface Reader {
  start(take: (delivery: Delivery) => Promise<void>): Promise<void>;
  /** Takes nothing new any more; what was taken goes on. */
  stop(): Promise<void>;
}

/** A handler throws it to give a message back: nothing is wrong, but it is to be tried again after a while. */
export class TryLater extends Error {
  override name = 'TryLater';
  constructor(readonly delayMs: number) {
    super(`again in ${delayMs} ms`);
  }
}

/** What a handler may know beside the message. */
export class DeliveryContext extends BaseRpcContext<[AbortSignal, Trace]> {
  /** Aborts when the process ends and has no more patience: give the message back. */
  get signal(): AbortSignal {
    return this.getArgByIndex(0);
  }

  /** Where the work on it belongs. */
  get trace(): Trace {
    return this.getArgByIndex(1);
  }
}

export interface JetStreamOptions {
  bus: Bus;
  logger: Logger;
  /** The readers of each `@Consumes`. */
  readers: Record<string, Reader[]>;
  /** How long `close` lets running handlers finish before it aborts them. */
  drainMs: number;
}

/** A pattern, and who handles its messages: looked up once, since Nest's way of looking up costs more than some handlers. */
interface Handling {
  pattern: string;
  handler: MessageHandler;
}

/**
 * Nest's transport over JetStream: a message is acknowledged after its handler's work is really done, kept alive while
 * it runs, and given back when it fails. Handlers get the bytes and read them with `decode`, so that each message is
 * checked against its schema in one place.
 */
export class JetStreamStrategy extends Server implements CustomTransportStrategy {
  // What a handler throws is reported here once, not by Nest as well.
  override readonly propagatesEventHandlerErrors = true;
  private readonly running = new Set<Promise<void>>();
  private readonly abort = new AbortController();
  private stopped: Promise<unknown> | undefined;

  constructor(private readonly options: JetStreamOptions) {
    super();
  }

  listen(ready: (error?: unknown) => void): void {
    this.start().then(() => ready(), ready);
  }

  /** Takes nothing new any more, which takes a second; who has other things to end may do this first. */
  stopReading(): Promise<unknown> {
    return (this.stopped ??= Promise.all(
      Object.values(this.options.readers)
        .flat()
        .map((reader) => reader.stop()),
    ));
  }

  async close(): Promise<void> {
    await this.stopReading();
    const patience = setTimeout(() => this.abort.abort(), this.options.drainMs);
    while (this.running.size > 0) await Promise.all(this.running);
    clearTimeout(patience);
  }

  override on(): never {
    throw new Error('this transport has no events of its own');
  }

  override unwrap<T>(): T {
    return this.options.bus as T;
  }

  private async start(): Promise<void> {
    for (const [pattern, readers] of Object.entries(this.options.readers)) {
      const handler = this.getHandlerByPattern(pattern);
      if (!handler) throw new Error(`nobody handles ${pattern}`);
      for (const reader of readers) await reader.start((delivery) => this.track(this.take({ pattern, handler }, delivery)));
    }
  }

  private track(work: Promise<void>): Promise<void> {
    this.running.add(work);
    return work.finally(() => this.running.delete(work));
  }

  private async take({ pattern, handler }: Handling, delivery: Delivery): Promise<void> {
    const alive = setInterval(() => delivery.working(), HEARTBEAT_MS);
    try {
      const checkedIn = delivery.headers?.get(CLAIM_CHECK);
      const data = checkedIn ? await this.options.bus.claimCheck.fetch(checkedIn) : delivery.data;
      await inSpan(`${pattern} process`, { kind: SpanKind.CONSUMER, parent: traceOf(delivery) }, (trace) => this.handle(handler, data, trace));
      void this.track(this.acknowledge(delivery, checkedIn));
    } catch (error) {
      this.giveBack(pattern, delivery, error);
    } finally {
      clearInterval(alive);
    }
  }

  /** The slot is free meanwhile. A message that can't be acknowledged comes again, and finds its payload as long as it may. */
  private async acknowledge(delivery: Delivery, checkedIn: string | undefined): Promise<void> {
    try {
      await this.options.bus.noHurry();
      delivery.ack();
      if (checkedIn) await this.options.bus.claimCheck.remove(checkedIn);
    } catch (error) {
      this.options.logger.warn({ err: error }, 'message not acknowledged');
    }
  }

  private async handle(handler: MessageHandler, data: Uint8Array, trace: Trace): Promise<void> {
    const result = this.transformToObservable(await handler(data, new DeliveryContext([this.abort.signal, trace])));
    await lastValueFrom(result.pipe(defaultIfEmpty(undefined)));
  }

  private giveBack(pattern: string, delivery: Delivery, error: unknown): void {
    if (error instanceof TryLater) return delivery.nak(error.delayMs);
    this.options.logger.error({ err: error, pattern }, 'message not handled');
    // A message that fits no schema will fit none the next time.
    if (error instanceof MessageInvalid) delivery.ack();
    else delivery.nak(FAILED_NAK_MS);
  }
}

const traceOf = ({ headers }: Delivery): Trace => traceIn({ traceparent: headers?.get('traceparent'), tracestate: headers?.get('tracestate') });
