import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { nanos } from '@nats-io/transport-node';
import { until } from '@overheard/testing';
import { Gate, leftOn, note, PROVIDER, put, serve, useTestBus } from './serve.js';
import { type Bus, ConsumerReader, type DeliveryContext, LaneReader, laneOf, SUBJECTS, TryLater } from '@overheard/bus';

const LANE = laneOf(5);

const tested = useTestBus();
let bus: Bus;
beforeEach(() => void ({ bus } = tested));

describe('a message', () => {
  test("stays in its stream until its handler's work is done", async () => {
    const gate = new Gate();
    await tested.serve(gate.hold);
    await put(bus, LANE, 'one');
    await until('it to be at work', () => gate.running === 1);
    expect(await leftOn(bus)).toBe(1);
    gate.release();
    await until('it to be acknowledged', async () => (await leftOn(bus)) === 0);
    expect(gate.begun).toEqual(['one']);
  });

  test('comes again when its handler fails, until one succeeds', async () => {
    let tries = 0;
    await tested.serve(async () => {
      tries += 1;
      if (tries < 2) throw new Error('a fault');
    });
    await put(bus, LANE, 'one');
    await until('it to be acknowledged', async () => tries > 0 && (await leftOn(bus)) === 0);
    expect(tries).toBe(2);
  });

  test('that is to be tried later comes again after the while that was asked for, and not before', async () => {
    const at: number[] = [];
    await tested.serve(async () => {
      at.push(Date.now());
      if (at.length === 1) throw new TryLater(0);
      if (at.length === 2) throw new TryLater(700);
    });
    await put(bus, LANE, 'one');
    await until('it to be acknowledged', async () => at.length > 0 && (await leftOn(bus)) === 0);
    const [first = 0, second = 0, third = 0, ...more] = at;
    expect(more).toEqual([]);
    expect(second - first).toBeLessThan(700);
    expect(third - second).toBeGreaterThanOrEqual(690);
  });

  test('that fits no schema is dropped, and the next one is served', async () => {
    const texts: string[] = [];
    await tested.serve(async (text) => void texts.push(text));
    for (const junk of ['{"text": 7}', 'no JSON']) await bus.jetstream.publish(bus.names.subject(SUBJECTS.work(PROVIDER, LANE)), junk);
    await put(bus, LANE, 'good');
    await until('the stream to be empty', async () => texts.length > 0 && (await leftOn(bus)) === 0);
    expect(texts).toEqual(['good']);
  });
});

describe('a handler that takes longer than a message may be held', () => {
  // Only the heartbeat's timer is ours to move; sockets and waits go on as ever.
  const others = ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const;
  beforeEach(() => void jest.useFakeTimers({ doNotFake: [...others] }));
  afterEach(() => void jest.useRealTimers());

  test.each([
    { alive: true, times: 1, what: 'keeps its message to itself by signs of life' },
    { alive: false, times: 2, what: 'loses its message to another when it gives none' },
  ])('$what', async ({ alive, times }) => {
    const gate = new Gate();
    await tested.serve(gate.hold, { slots: 5 });
    const { stream, durable } = bus.names.lane(PROVIDER, LANE);
    await bus.manager.consumers.update(stream, durable, { ack_wait: nanos(1000) });
    await put(bus, LANE, 'one');
    await until('it to be at work', () => gate.running === 1);
    // Every quarter second, ten seconds pass for the heartbeat.
    for (const end = Date.now() + 2500; Date.now() < end && gate.begun.length === 1; await sleep(250)) if (alive) jest.advanceTimersByTime(10_000);
    expect(gate.begun).toHaveLength(times);
    for (let one = 0; one < times; one += 1) gate.release();
  });
});

test('a shared consumer that forgets who waits for its messages, as with a new leader, is read again within seconds', async () => {
  const texts: string[] = [];
  await tested.serve(async (text) => void texts.push(text), { reader: new ConsumerReader(bus, 'record', 5) });
  const stream = bus.names.stream('OUTCOME');
  const { config } = await bus.manager.consumers.info(stream, 'record');
  await bus.manager.consumers.delete(stream, 'record');
  await bus.manager.consumers.add(stream, config);
  await bus.publish(SUBJECTS.finished, note, { text: 'one' }, 'one');
  await until('it to be handled', () => texts.length === 1, 8000);
});

describe('the end of a process', () => {
  test('handles what is on its way to it from a shared consumer, which would otherwise be missing for half a minute', async () => {
    let [published, isOver] = [0, false];
    const publishing = (async () => {
      while (!isOver)
        await Promise.all(Array.from({ length: 20 }, () => bus.publish(SUBJECTS.finished, note, { text: 'one' }, `on its way ${(published += 1)}`)));
    })();
    for (let round = 0; round < 5; round += 1) {
      const reading = await serve({ bus, reader: new ConsumerReader(bus, 'record', 100) }, async () => undefined);
      await sleep(50);
      await reading.close();
    }
    isOver = true;
    await publishing;
    const missing = async () => (await bus.manager.consumers.info(bus.names.stream('OUTCOME'), 'record')).num_ack_pending;
    await until('nothing to be missing', async () => (await missing()) === 0, 5000);
  });

  test('waits for what is at work, and takes nothing new', async () => {
    const gate = new Gate();
    const worker = await serve({ bus }, gate.hold);
    await put(bus, LANE, 'one');
    await until('it to be at work', () => gate.running === 1);
    let closed = false;
    const closing = worker.close().then(() => (closed = true));
    await put(bus, LANE, 'two');
    expect(closed).toBe(false);
    gate.release();
    await closing;
    expect(gate.begun).toEqual(['one']);
    await until('the first to be acknowledged', async () => (await leftOn(bus)) === 1);
  });

  test('acknowledges what is done before it disconnects', async () => {
    const own = await tested.connect();
    const gate = new Gate();
    const worker = await serve({ bus: own }, gate.hold);
    await put(bus, LANE, 'one');
    await until('it to be at work', () => gate.running === 1);
    gate.release();
    await worker.close();
    await own.close();
    // Not acknowledged, it would be there for half a minute.
    await until('it to be acknowledged', async () => (await leftOn(bus)) === 0, 5000);
  });

  test('gives back what does not finish in time, and another worker gets it at once', async () => {
    const stuck = async (_text: string, { signal }: DeliveryContext) => {
      begun += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new TryLater(0);
    };
    let begun = 0;
    const worker = await serve({ bus, reader: new LaneReader(bus, PROVIDER, 1), drainMs: 100 }, stuck);
    await put(bus, LANE, 'one');
    await until('it to be at work', () => begun === 1);
    await worker.close();
    const texts: string[] = [];
    await tested.serve(async (text) => void texts.push(text));
    await until('another to have it', () => texts.length === 1, 5000);
  });
});
