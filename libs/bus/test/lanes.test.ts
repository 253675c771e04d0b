import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { Gate, leftOn, PROVIDER, put, serve, useTestBus } from './serve.js';
import { laneOf, SUBJECTS, SYNC_LANE, TryLater } from '@overheard/bus';

const tested = useTestBus();

/** Mixed so that no priority comes in order. */
const mixed = Array.from({ length: 30 }, (_none, index) => ({ text: `task ${index}`, priority: ((index * 7) % 10) + 1 }));

describe('with one slot', () => {
  test('thirty tasks of mixed priorities run by priority, and in order of arrival within one', async () => {
    const { bus } = tested;
    for (const { text, priority } of mixed) await put(bus, laneOf(priority), text);
    const began: string[] = [];
    await tested.serve(async (text) => void began.push(text));
    await until('all to have run', () => began.length === mixed.length);
    expect(began).toEqual([...mixed].sort((one, two) => two.priority - one.priority).map(({ text }) => text));
    await until('all to be acknowledged', async () => (await leftOn(bus)) === 0);
  });

  test('whatever comes while one runs is served by urgency: the synchronous request first, though it came last', async () => {
    const { bus } = tested;
    const gate = new Gate();
    await tested.serve(gate.hold);
    await put(bus, laneOf(1), 'running');
    await until('the first to run', () => gate.running === 1);
    for (const [lane, text] of [
      [laneOf(1), 'low'],
      [laneOf(9), 'high'],
      [laneOf(10), 'highest'],
      [SYNC_LANE, 'sync'],
    ] as const)
      await put(bus, lane, text);
    for (let count = 2; count <= 5; count += 1) {
      gate.release();
      await until('the next to run', () => gate.begun.length === count);
    }
    gate.release();
    expect(gate.begun).toEqual(['running', 'sync', 'highest', 'high', 'low']);
    expect(gate.runningMax).toBe(1);
  });
});

test('exactly as many run at once as there are slots, and a slot that is free takes the next', async () => {
  const { bus } = tested;
  const gate = new Gate();
  for (let index = 0; index < 20; index += 1) await put(bus, laneOf(5), `task ${index}`);
  await tested.serve(gate.hold, { slots: 4 });
  for (let taken = 4; taken <= 20; taken += 1) {
    await until(`${taken} to have been taken`, () => gate.begun.length === taken && gate.running === 4);
    gate.release();
  }
  for (let left = 0; left < 3; left += 1) gate.release();
  await until('all to be acknowledged', async () => (await leftOn(bus)) === 0);
  expect(gate.runningMax).toBe(4);
});

test('two workers share the lanes: each task runs once', async () => {
  const { bus } = tested;
  const began: string[] = [];
  await Promise.all([0, 1].map(() => tested.serve(async (text) => void began.push(text), { slots: 3 })));
  await Promise.all(mixed.map(({ text, priority }) => put(bus, laneOf(priority), text)));
  await until('all to be acknowledged', async () => began.length >= mixed.length && (await leftOn(bus)) === 0);
  expect([...began].sort()).toEqual(mixed.map(({ text }) => text).sort());
});

test('a message that is given back is taken again at once, though its lane was found empty meanwhile', async () => {
  const { bus } = tested;
  const startedAt = performance.now();
  let taken = 0;
  await tested.serve(
    async () => {
      await sleep(100);
      if ((taken += 1) <= 6) throw new TryLater(0);
    },
    { slots: 2 },
  );
  await put(bus, laneOf(5), 'again and again');
  await until('it to be acknowledged', async () => taken === 7 && (await leftOn(bus)) === 0);
  // Seven times 100 ms; were it found only as all lanes are asked, twice a second, it would be seven times 500.
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

test('a message that nobody rang for is found all the same, also while a less urgent lane is never empty', async () => {
  const { bus } = tested;
  const began: string[] = [];
  for (let index = 0; index < 400; index += 1) await put(bus, laneOf(1), `low ${index}`);
  await tested.serve(async (text) => {
    began.push(text);
    await new Promise((resolve) => setTimeout(resolve, 10));
  });
  await until('work to have begun', () => began.length > 3);
  await put(bus, laneOf(9), 'urgent', 'urgent', { ringing: false });
  await until('the urgent one to run', () => began.includes('urgent'));
  expect(began.length).toBeLessThan(200);
});

test('lanes that do not answer, as while their consumers have no leaders, keep no other waiting, and are served once they answer', async () => {
  const { bus } = tested;
  const begun: string[] = [];
  await tested.serve(async (text) => void begun.push(text));
  const { stream } = bus.names.lane(PROVIDER, laneOf(10));
  const durables = [10, 9, 8, 7, 6, 5].map((priority) => bus.names.lane(PROVIDER, laneOf(priority)).durable);
  const configs = await Promise.all(durables.map(async (durable) => (await bus.manager.consumers.info(stream, durable)).config));
  for (const durable of durables) await bus.manager.consumers.delete(stream, durable);
  await put(bus, laneOf(10), 'urgent');
  for (let index = 0; index < 12; index += 1) {
    await put(bus, SYNC_LANE, `sync ${index}`);
    await until('the synchronous request to be served', () => begun.includes(`sync ${index}`), 1500);
  }
  await put(bus, laneOf(1), 'low');
  await until('the last lane to be served', () => begun.includes('low'), 7000);
  expect(begun).not.toContain('urgent');
  for (const config of configs) await bus.manager.consumers.add(stream, config);
  await until('the first of the silent lanes to be served', () => begun.includes('urgent'), 2000);
});

describe('a worker with nothing to do', () => {
  test('is given synchronous requests as they come, without a bell', async () => {
    const { bus } = tested;
    const began: string[] = [];
    await tested.serve(async (text) => void began.push(text), { slots: 2 });
    // A hundred looks at all lanes, twice a second, would take 50 s.
    const startedAt = performance.now();
    for (let index = 0; index < 100; index += 1) {
      await put(bus, SYNC_LANE, `sync ${index}`, undefined, { ringing: false });
      await until('it to run', () => began.length === index + 1);
    }
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await until('all to be acknowledged', async () => (await leftOn(bus)) === 0);
  });

  test('is given at most one that way: when many come at once, no worker takes more than it has slots, and each runs once', async () => {
    const { bus } = tested;
    const gates = [new Gate(), new Gate()];
    for (const gate of gates) await tested.serve(gate.hold, { slots: 3 });
    await sleep(100);
    await Promise.all(Array.from({ length: 20 }, (_none, index) => put(bus, SYNC_LANE, `sync ${index}`)));
    await until('all slots to be taken', () => gates.every(({ running }) => running === 3));
    const begun = () => gates.flatMap((gate) => gate.begun);
    while (begun().length < 20 || gates.some(({ running }) => running > 0)) {
      for (const gate of gates) gate.release();
      await sleep(5);
    }
    await until('all to be acknowledged', async () => (await leftOn(bus)) === 0);
    expect(begun()).toHaveLength(20);
    expect(new Set(begun()).size).toBe(20);
    for (const { runningMax } of gates) expect(runningMax).toBe(3);
    // None was sent to a worker that had no room for it.
    const { stream, durable } = bus.names.lane(PROVIDER, SYNC_LANE);
    expect((await bus.manager.consumers.info(stream, durable)).delivered.consumer_seq).toBe(20);
  });

  test('gives what comes as it stops to another one at once', async () => {
    const { bus } = tested;
    const began: string[] = [];
    const late: string[] = [];
    await tested.serve(async (text) => void began.push(text));
    for (let round = 0; round < 5; round += 1) {
      const stopping = await serve({ bus, slots: 2 }, async (text) => void late.push(text));
      await sleep(50);
      const closed = stopping.close();
      bus.ring(SUBJECTS.wake(PROVIDER), laneOf(1));
      for (let index = 0; index < 4; index += 1) await put(bus, SYNC_LANE, `sync ${round} ${index}`, undefined, { ringing: false });
      await closed;
      await until('all to have run', async () => (await leftOn(bus)) === 0, 2000);
    }
    expect(new Set(began).size).toBe(20);
    expect(late).toEqual([]);
  });
});
