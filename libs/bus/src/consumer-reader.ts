import type { ConsumerMessages } from '@nats-io/jetstream';
import { systemClock } from '@overheard/runtime';
import type { Bus } from './bus.js';
import type { Delivery } from './delivery.js';
import { CONSUMERS, type ConsumerName } from './topology.js';

/**
 * A pull lives so long, and the server gives a sign of life twice meanwhile. One that a dead consumer leader took with it is made anew after two missing
 * signs; by default that is half a minute.
 */
const PULL_MS = 1000;
const ON_ITS_WAY_MS = 100;

/** Reads a durable consumer, as many messages at once as there are slots; the client library keeps it going through reconnects. */
export class ConsumerReader {
  private messages: ConsumerMessages | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly name: ConsumerName,
    private readonly slots: number,
  ) {}

  async start(take: (delivery: Delivery) => Promise<void>): Promise<void> {
    const consumer = await this.bus.jetstream.consumers.get(this.bus.names.stream(CONSUMERS[this.name].stream), this.name);
    // Bound, it pulls without asking first whether the consumer is there: unanswered, while a leader is elected, that question would be the next wait.
    this.messages = await consumer.consume({ max_messages: this.slots, expires: PULL_MS, bind: true });
    void this.pump(this.messages, take);
  }

  /**
   * Asks for nothing more, and takes what comes until what was asked for is over. A pull can't be taken back: the server sends
   * its messages even to nobody, and they would be missing until their `ack_wait` is over.
   */
  async stop(): Promise<void> {
    if (!this.messages) return;
    // The client asks again by this method of its own for as long as it is open, and has no other way to be kept from it.
    Object.assign(this.messages, { pull: () => undefined });
    await systemClock.sleep(PULL_MS + ON_ITS_WAY_MS);
    await this.messages.close();
  }

  private async pump(messages: ConsumerMessages, take: (delivery: Delivery) => Promise<void>): Promise<void> {
    let running = 0;
    let freed: (() => void) | undefined;
    for await (const message of messages) {
      running += 1;
      void take({
        data: message.data,
        headers: message.headers,
        ack: () => message.ack(),
        nak: (ms) => message.nak(ms),
        working: () => message.working(),
      }).finally(() => {
        running -= 1;
        freed?.();
      });
      if (running >= this.slots) await new Promise<void>((resolve) => (freed = resolve));
    }
  }
}
