import { Objm } from '@nats-io/obj';
import * as z from 'zod';
import { afterEach, beforeEach } from '@jest/globals';
import { createTestBus, silentLogger, type TestBus } from '@overheard/testing';
import { Bus, type DeliveryContext, decode, JetStreamStrategy, LaneReader, type Reader, SUBJECTS } from '@overheard/bus';

export const note = z.object({ text: z.string() });
export type Note = z.infer<typeof note>;

/** Nobody's provider: what is on its lanes is the test's alone. */
export const PROVIDER = 'TESTED';

export interface Served {
  bus: Bus;
  /** Where the messages come from; by default the lanes of the provider. */
  reader?: Reader;
  slots?: number;
  drainMs?: number;
}

/** Handles messages with the real transport; gives the way to end it. */
export async function serve(
  { bus, slots = 1, reader = new LaneReader(bus, PROVIDER, slots), drainMs = 5000 }: Served,
  handle: (text: string, context: DeliveryContext) => Promise<void>,
) {
  const strategy = new JetStreamStrategy({ bus, logger: silentLogger(), readers: { work: [reader] }, drainMs });
  strategy.addHandler('work', async (data: Uint8Array, context: DeliveryContext) => handle(decode(note, data, 'work').text, context), true);
  await new Promise<void>((resolve, reject) => strategy.listen((error) => (error ? reject(error as Error) : resolve())));
  return { close: () => strategy.close() };
}

/** A bus of its own for each test, and the end of whatever it served there. */
export function useTestBus() {
  let tested: TestBus;
  const serving: Awaited<ReturnType<typeof serve>>[] = [];
  beforeEach(async () => void (tested = await createTestBus()));
  afterEach(async () => {
    await Promise.all(serving.splice(0).map((one) => one.close()));
    await tested.remove();
  });
  return {
    get bus() {
      return tested.bus;
    },
    /** Another connection to it, which its caller closes. */
    connect: () => Bus.connect(tested.settings, 'another', silentLogger()),
    serve: async (handle: Parameters<typeof serve>[1], options: Omit<Served, 'bus'> = {}) =>
      void serving.push(await serve({ ...options, bus: tested.bus }, handle)),
  };
}

let published = 0;

/** Puts a text on a lane, and rings for it. */
export async function put(bus: Bus, lane: string, text: string, id = `id-${(published += 1)}`, { ringing = true } = {}): Promise<void> {
  await bus.publish(SUBJECTS.work(PROVIDER, lane), note, { text }, id);
  if (ringing) bus.ring(SUBJECTS.wake(PROVIDER), lane);
  // Until the bell has been heard.
  await bus.connection.flush();
}

/** What is still in the work streams, taken or not. */
export async function leftOn(bus: Bus): Promise<number> {
  const streams = await Promise.all(['WORK_SYNC', 'WORK'].map((name) => bus.manager.streams.info(bus.names.stream(name))));
  return streams.reduce((sum, { state }) => sum + state.messages, 0);
}

/** How many payloads wait in the transit store. */
export async function inTransit(bus: Bus): Promise<number> {
  const store = await new Objm(bus.connection).open(bus.names.bucket('transit'));
  return (await store.list()).filter(({ deleted }) => !deleted).length;
}

/** Handlers that stay at work until they are let go, in the order in which they began. */
export class Gate {
  readonly begun: string[] = [];
  running = 0;
  runningMax = 0;
  private readonly waiting: (() => void)[] = [];

  hold = async (text: string): Promise<void> => {
    this.begun.push(text);
    this.running += 1;
    this.runningMax = Math.max(this.runningMax, this.running);
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.running -= 1;
  };

  /** Lets the handler go that began first of those at work. */
  release = (): void => this.waiting.shift()?.();
}
