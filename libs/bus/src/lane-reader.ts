import { nanos, nuid, type Msg, type Subscription } from '@nats-io/transport-node';
import type { Bus } from './bus.js';
import type { Delivery } from './delivery.js';
import { ensureLanes, laneOfSubject, LANES, SUBJECTS, SYNC_LANE } from './topology.js';

const SILENCE_MS = 250;
const SILENT_PULLS_MAX = 4;
const ALL_LANES_MS = 500;
/** Readers that begin together do not ask together for long, so that their rounds do not hold up each other's work. */
const DRIFT_MS = 100;
/** How long a pull stands at the first lane. A worker that freezes or is cut off meanwhile may still be given that one message, which then comes back after its `ack_wait`. */
const STANDING_MS = 500;
const REQUEST_TIMEOUT = 408;
/** `No Messages` and `Request Timeout`; any other status says nothing about the lane. */
const NO_MESSAGES = new Set([404, REQUEST_TIMEOUT]);

/**
 * The pull loop over a provider's lanes, strictly by rank: it asks the first lane for as many messages as there are free
 * slots, without waiting and without prefetch, goes on to the next lane only when one is empty, and back to the first
 * after each pull that gave work. So a free slot always takes the most urgent task there is (architecture.md, step 3).
 * An idle reader leaves one pull for one message standing at the first lane, so that a synchronous request comes without a bell and a question;
 * nothing is passed over, since no lane is more urgent.
 * A lane that was empty is asked again once somebody has rung for it, as who gives a message back does, and all of them twice
 * a second, since bells can be missed and the messages of the dead come back without one. A lane that does not answer at all,
 * as while its consumer has no leader, keeps nobody waiting: it is asked as often, and has its turn again once it answers.
 */
export class LaneReader {
  private readonly inbox = `_INBOX.${nuid.next()}`;
  private readonly standingInbox = `_INBOX.${nuid.next()}`;
  private subscriptions: Subscription[] = [];
  private loop: Promise<void> | undefined;
  private stopping = false;
  private free: number;
  private pull: { lane: string; got: number; ended: boolean; isEmpty: boolean; tell: () => void } | undefined;
  private woken = false;
  /** Lanes that may hold work, as far as is known. */
  private readonly open = new Set<string>(LANES);
  /** Lanes that do not answer. */
  private readonly silent = new Set<string>();
  private allOpenedAt = performance.now();
  private wake: () => void = () => undefined;
  /** When the pull was made that stands at the first lane. */
  private standingSince = -Infinity;

  constructor(
    private readonly bus: Bus,
    private readonly provider: string,
    readonly slots: number,
  ) {
    this.free = slots;
  }

  /** How many tasks are at work. */
  get running(): number {
    return this.slots - this.free;
  }

  async start(take: (delivery: Delivery) => Promise<void>): Promise<void> {
    const ensure = () => ensureLanes(this.bus.manager, this.bus.names, this.provider);
    await ensure();
    this.bus.onReconnect(() =>
      ensure().then(() => {
        // Nothing stands at a server that was away.
        this.standingSince = -Infinity;
        this.openAll();
      }),
    );
    this.subscriptions = [
      this.bus.connection.subscribe(`${this.inbox}.*`, { callback: (error, message) => void (error ?? this.receive(message, take)) }),
      this.bus.connection.subscribe(this.standingInbox, { callback: (error, message) => void (error ?? this.receiveStanding(message, take)) }),
      this.bus.onRing(SUBJECTS.wake(this.provider), (lane) => this.hear(lane)),
    ];
    this.loop = this.run();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.ring();
    await this.loop;
    // What the standing pull still brings is given back; without anybody to receive it, it would be missing for half a minute.
    while (this.isStanding) await waitFor((tell) => (this.wake = tell), SILENCE_MS);
    for (const subscription of this.subscriptions) subscription.unsubscribe();
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      if (performance.now() - this.allOpenedAt > ALL_LANES_MS) this.openAll();
      // A bell that rings while the lanes are being asked means: ask once more.
      this.woken = false;
      if (this.free > 0 && (await this.pullFirstLane())) continue;
      this.stand();
      await this.idle(this.allOpenedAt + ALL_LANES_MS - performance.now());
    }
  }

  /** Asks lane by lane until one gives work. */
  private async pullFirstLane(): Promise<boolean> {
    for (const lane of LANES) {
      // The standing pull may have filled the last slot meanwhile.
      if (this.free === 0) return false;
      // A bell that rings from here on means that it is to be asked again.
      if (!this.open.delete(lane)) continue;
      if (this.silent.has(lane)) this.ask(lane, 1);
      else if (await this.pullUntilAnswered(lane)) return true;
    }
    return false;
  }

  /** Whether to begin with the first lane again: this one gave work, or it took long not to. */
  private async pullUntilAnswered(lane: string): Promise<boolean> {
    for (let silent = 0; silent < SILENT_PULLS_MAX && this.free > 0 && !this.stopping; silent += 1) {
      const { got, ended, isEmpty } = await this.pullLane(lane, this.unpromised);
      if (!isEmpty) this.open.add(lane);
      if (got > 0) return true;
      // A server that is slow to answer does not say that the lane is empty: going on would break the order.
      if (ended) return false;
    }
    if (this.free > 0) this.silent.add(lane);
    else this.open.add(lane);
    return true;
  }

  /** One no-wait pull. It is over when all messages came, the server says that there are no more (`ended`), or it stays silent. */
  private async pullLane(lane: string, batch: number): Promise<{ got: number; ended: boolean; isEmpty: boolean }> {
    const pull = { lane, got: 0, ended: false, isEmpty: false, tell: () => undefined as void };
    this.pull = pull;
    this.ask(lane, batch);
    while (!pull.ended && pull.got < batch) {
      const before = pull.got;
      await waitFor((tell) => (pull.tell = tell), SILENCE_MS);
      if (pull.got === before && !pull.ended) break;
    }
    return pull;
  }

  private ask(lane: string, batch: number): void {
    this.publishPull(lane, { batch, no_wait: true }, `${this.inbox}.${lane}`);
  }

  private publishPull(lane: string, pull: object, reply: string): void {
    const { stream, durable } = this.bus.names.lane(this.provider, lane);
    this.bus.connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, JSON.stringify(pull), { reply });
  }

  /** One pull for one message that waits at the first lane, unless one stands there or nothing can be taken. */
  private stand(): void {
    if (this.isStanding || this.stopping || this.free === 0 || this.silent.has(SYNC_LANE)) return;
    this.standingSince = performance.now();
    this.publishPull(SYNC_LANE, { batch: 1, expires: nanos(STANDING_MS) }, this.standingInbox);
  }

  private get isStanding(): boolean {
    // The server says when its time is over, unless it forgot.
    return performance.now() - this.standingSince < STANDING_MS + SILENCE_MS;
  }

  /** Free slots, without the one that the standing pull may fill. With a single one, whatever comes first has it. */
  private get unpromised(): number {
    return this.isStanding && this.free > 1 ? this.free - 1 : this.free;
  }

  private hear(lane: string): void {
    // What is rung for at the first lane comes to the pull that stands there.
    if (lane !== SYNC_LANE || !this.isStanding) this.openLane(lane);
  }

  private receiveStanding(message: Msg, take: (delivery: Delivery) => Promise<void>): void {
    this.standingSince = -Infinity;
    const status = statusOf(message);
    // Any other status says that there is nobody to ask.
    if (status === REQUEST_TIMEOUT) this.ring();
    if (status !== undefined) return;
    this.accept(message, SYNC_LANE, take);
    // Alone there: the next one comes the same way. More of them come at once.
    if (pendingAfter(message) === 0) this.stand();
    if (!this.isStanding) this.openLane(SYNC_LANE);
  }

  private receive(message: Msg, take: (delivery: Delivery) => Promise<void>): void {
    // The subject of a message is the lane's; of a status ("no messages", "request timeout") it is our inbox.
    const status = statusOf(message);
    const lane = (status === undefined ? laneOfSubject(message.subject)?.lane : message.subject.split('.').at(-1)) ?? '';
    if (this.silent.delete(lane)) this.openLane(lane);
    const pull = this.pull;
    if (status !== undefined) {
      // Also when it answers an earlier pull of the lane: of a server that is far away, no other answer would ever come in time.
      if (pull && pull.lane === lane) {
        pull.ended = true;
        pull.isEmpty = NO_MESSAGES.has(status);
      }
    } else {
      if (pull) pull.got += 1;
      this.accept(message, lane, take);
    }
    pull?.tell();
  }

  /** The answer to a pull that was given up already finds no free slot, or nobody who works any more: it goes back at once. */
  private accept(message: Msg, lane: string, take: (delivery: Delivery) => Promise<void>): void {
    const delivery = this.deliveryOf(message, lane);
    if (this.free > 0 && !this.stopping) this.work(delivery, take);
    else delivery.nak(0);
  }

  private work(delivery: Delivery, take: (delivery: Delivery) => Promise<void>): void {
    this.free -= 1;
    void take(delivery).finally(() => {
      this.free += 1;
      this.ring();
    });
  }

  private deliveryOf(message: Msg, lane: string): Delivery {
    return {
      data: message.data,
      headers: message.headers,
      ack: () => void message.respond('+ACK'),
      nak: (delayMs) => {
        message.respond(delayMs > 0 ? `-NAK ${JSON.stringify({ delay: delayMs * 1_000_000 })}` : '-NAK');
        // Everybody may have found the lane empty meanwhile.
        if (delayMs <= 0) this.bus.ring(SUBJECTS.wake(this.provider), lane);
      },
      working: () => void message.respond('+WPI'),
    };
  }

  private openAll(): void {
    for (const lane of LANES) this.openLane(lane);
    this.allOpenedAt = performance.now() - Math.random() * DRIFT_MS;
  }

  private openLane(lane: string): void {
    this.open.add(lane);
    this.ring();
  }

  private ring(): void {
    this.woken = true;
    this.wake();
  }

  private async idle(ms: number): Promise<void> {
    if (!this.woken) await waitFor((tell) => (this.wake = tell), ms);
  }
}

/** Why a pull has brought nothing; undefined of a message. */
const statusOf = ({ headers }: Msg): number | undefined => (headers && headers.code >= 400 ? headers.code : undefined);

/** How many messages the consumer had left when it delivered this one; it stands in the address of its acknowledgement (NATS ADR-15, both forms). */
function pendingAfter({ reply = '' }: Msg): number {
  const tokens = reply.split('.');
  return Number(tokens[tokens.length === 9 ? 8 : 10]);
}

/** Waits until told, at most so long. */
function waitFor(expose: (tell: () => void) => void, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    expose(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
