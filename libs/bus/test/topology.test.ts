import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestBus, silentLogger, type TestBus } from '@overheard/testing';
import { leftOn, PROVIDER, put } from './serve.js';
import { Bus, type BusConfig, ensureLanes, laneOf, LANES } from '@overheard/bus';

let tested: TestBus;
let bus: Bus;
const others: Bus[] = [];
beforeAll(async () => {
  tested = await createTestBus();
  ({ bus } = tested);
});
afterAll(async () => {
  await Promise.all(others.map((other) => other.close()));
  await tested.remove();
});

const connect = async (settings: BusConfig): Promise<Bus> => {
  const other = await Bus.connect(settings, 'other', silentLogger());
  others.push(other);
  return other;
};

async function consumersOf(stream: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of bus.manager.consumers.list(bus.names.stream(stream))) found.push(name);
  return found.sort();
}

test('many processes that start at once make the same streams and consumers, once', async () => {
  // A fresh deployment: nothing of it is there.
  const settings = { ...tested.settings, NATS_PREFIX: `${tested.settings.NATS_PREFIX}x` };
  const processes = await Promise.all(Array.from({ length: 6 }, () => connect(settings)));
  await Promise.all(processes.map((process) => ensureLanes(process.manager, process.names, PROVIDER)));
  const [first] = processes as [Bus];
  const names = ['WORK_SYNC', 'WORK', 'OUTCOME', 'EVENTS'].map(first.names.stream);
  const consumers = await Promise.all(names.map(async (name) => (await bus.manager.streams.info(name)).state.consumer_count));
  expect(consumers).toEqual([1, 10, 1, 2]);
  for (const name of [...names, `OBJ_${first.names.bucket('transit')}`]) await bus.manager.streams.delete(name);
});

test('a process that starts later changes nothing and loses nothing', async () => {
  await ensureLanes(bus.manager, bus.names, PROVIDER);
  await put(bus, laneOf(3), 'waiting');
  const later = await connect(tested.settings);
  await ensureLanes(later.manager, later.names, PROVIDER);
  expect(await leftOn(bus)).toBe(1);
  expect(await consumersOf('WORK')).toEqual(
    LANES.slice(1)
      .map((lane) => `${PROVIDER}_${lane}`)
      .sort(),
  );
});

test('a new limit reaches streams that are there already', async () => {
  const limit = 32 * 1024 ** 2;
  await connect({ ...tested.settings, NATS_STREAM_MAX_BYTES: limit });
  const { config, state } = await bus.manager.streams.info(bus.names.stream('WORK'));
  expect([config.max_bytes, state.messages]).toEqual([limit, 1]);
});

test('deployments with different prefixes share a server without meeting', async () => {
  const neighbour = await createTestBus();
  await put(neighbour.bus, laneOf(3), 'theirs', 'the-same-id');
  await put(bus, laneOf(3), 'ours', 'the-same-id');
  expect([await leftOn(neighbour.bus), await leftOn(bus)]).toEqual([1, 2]);
  await neighbour.remove();
});
