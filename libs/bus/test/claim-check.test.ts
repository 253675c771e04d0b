import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestBus, type TestBus, until } from '@overheard/testing';
import { inTransit, leftOn, note, put, serve } from './serve.js';
import { type Bus, ConsumerReader, laneOf, type Reader, SUBJECTS } from '@overheard/bus';

const LANE = laneOf(5);
const MIB = 1024 * 1024;

let tested: TestBus;
let bus: Bus;
let close: () => Promise<void> = async () => undefined;
beforeAll(async () => {
  tested = await createTestBus();
  ({ bus } = tested);
});
afterEach(() => close());
afterAll(() => tested.remove());

describe('a payload of 20 MB', () => {
  const text = 'é'.repeat(10 * MIB);

  test.each<[string, (large: string) => Promise<void>, (() => Reader) | undefined]>([
    ['over a lane', (large) => put(bus, LANE, large), undefined],
    [
      'over a shared consumer',
      async (large) => void (await bus.publish(SUBJECTS.finished, note, { text: large }, 'one')),
      () => new ConsumerReader(bus, 'record', 8),
    ],
  ])('arrives whole %s, and is gone from the transit store once the work is done', async (_way, publish, reader) => {
    const seen: { whole: boolean; stored: number }[] = [];
    ({ close } = await serve(
      { bus, ...(reader ? { reader: reader() } : {}) },
      async (received) => void seen.push({ whole: received === text, stored: await inTransit(bus) }),
    ));
    await publish(text);
    await until('its payload to be removed', async () => seen.length > 0 && (await inTransit(bus)) === 0, 20_000);
    expect(seen).toEqual([{ whole: true, stored: 1 }]);
  });
});

test('a payload is kept as long as its message is not done with', async () => {
  const stored: number[] = [];
  ({ close } = await serve({ bus }, async () => {
    stored.push(await inTransit(bus));
    if (stored.length === 1) throw new Error('a fault');
  }));
  await put(bus, LANE, 'x'.repeat(MIB));
  await until('its payload to be removed', async () => stored.length > 0 && (await leftOn(bus)) + (await inTransit(bus)) === 0);
  expect(stored).toEqual([1, 1]);
});

test.each([
  [256 * 1024, 0],
  [256 * 1024 + 1, 1],
])('a message of %i bytes leaves %i payloads in the transit store', async (bytes, payloads) => {
  const seen: number[] = [];
  ({ close } = await serve({ bus }, async () => void seen.push(await inTransit(bus))));
  await put(bus, LANE, 'x'.repeat(bytes - JSON.stringify({ text: '' }).length));
  await until('it to be done', async () => seen.length > 0 && (await leftOn(bus)) === 0);
  expect(seen).toEqual([payloads]);
});
