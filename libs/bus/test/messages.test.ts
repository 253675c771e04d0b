import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport.js';
import { createTestBus, silentLogger, type TestBus, until } from '@overheard/testing';
import { leftOn, type Note, note, PROVIDER, put } from './serve.js';
import { Bus, laneOf, MessageInvalid, SUBJECTS } from '@overheard/bus';

let tested: TestBus;
let other: Bus;
let bus: Bus;
beforeAll(async () => {
  tested = await createTestBus();
  ({ bus } = tested);
  other = await Bus.connect(tested.settings, 'other', silentLogger());
});
afterAll(async () => {
  await other.close();
  await tested.remove();
});

test('a message that does not fit its schema is refused where it is published, whichever way it goes', async () => {
  const wrong = { text: 7 } as unknown as Note;
  await expect(bus.publish(SUBJECTS.work(PROVIDER, laneOf(1)), note, wrong, 'wrong')).rejects.toThrow(MessageInvalid);
  expect(() => bus.notify('inbox.test', note, wrong)).toThrow(MessageInvalid);
  await expect(bus.ask('rpc.test', { schema: note, message: wrong }, note, 100)).rejects.toThrow(MessageInvalid);
  expect(await leftOn(bus)).toBe(0);
});

test('what is published twice under the same id is there once', async () => {
  for (const text of ['first', 'second', 'third']) await put(bus, laneOf(1), text, 'the-same');
  await Promise.all(['fourth', 'fifth'].map((text) => put(other, laneOf(1), text, 'the-same')));
  expect(await leftOn(bus)).toBe(1);
});

test('a bell that is rung again and again in one turn of the event loop rings once, and none as its bus closes', async () => {
  const rung: string[] = [];
  other.onRing('wake.TEST', (forWhom) => void rung.push(forWhom));
  await other.ready();
  for (const forWhom of ['one', 'two', 'one', 'one']) bus.ring('wake.TEST', forWhom);
  await until('both to be heard', () => rung.length >= 2);
  await bus.ready();
  expect(rung).toEqual(['one', 'two']);

  // What is thrown in a later turn nobody could catch: it would end the process.
  const closing = await Bus.connect(tested.settings, 'closing', silentLogger());
  let isClosed = false;
  const closed = closing.close().then(() => (isClosed = true));
  for (let turn = 0; !isClosed; turn += 1) {
    closing.ring('wake.TEST', `turn ${turn}`);
    await nextTurn();
  }
  await closed;
});

test('what is in no hurry leaves in one write with whatever else is in none', async () => {
  await bus.ready();
  jest.useFakeTimers({ doNotFake: ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] });
  const write = jest.spyOn(NodeTransport.prototype, '_send');
  const send = async (text: string) => {
    await bus.noHurry();
    bus.notify('inbox.no-hurry', note, { text });
  };
  const sent = [send('first')];
  jest.advanceTimersByTime(9);
  await nextTurn();
  sent.push(send('second'));
  jest.advanceTimersByTime(1);
  await Promise.all(sent);
  await nextTurn();
  jest.useRealTimers();
  const frames = write.mock.calls.map(([frame]) => Buffer.from(frame).toString());
  write.mockRestore();
  expect(frames).toEqual([expect.stringMatching(/first[^]*second/)]);
});

test('what is sent in one turn of the event loop leaves in one write, in order', async () => {
  const heard: string[] = [];
  other.onNotice('inbox.in-order', note, ({ text }) => void heard.push(text));
  await Promise.all([bus.ready(), other.ready()]);
  const write = jest.spyOn(NodeTransport.prototype, '_send');
  const texts = Array.from({ length: 20 }, (_, index) => `note ${index}`);
  for (const text of texts) {
    bus.notify('inbox.in-order', note, { text });
    await Promise.resolve();
  }
  await until('all to be heard', () => heard.length === texts.length);
  expect([heard, write.mock.calls.length]).toEqual([texts, 1]);
  write.mockRestore();
});

test('notices reach everybody who listens; one that does not fit is dropped', async () => {
  const heard: string[][] = [[], []];
  [bus, other].forEach((listener, index) => listener.onNotice('inbox.test', note, ({ text }) => void heard[index]?.push(text)));
  // Subscriptions are there once the server has answered something sent after them.
  await Promise.all([bus.ready(), other.ready()]);
  bus.connection.publish(bus.names.subject('inbox.test'), '{"text": 7}');
  bus.notify('inbox.test', note, { text: 'hello' });
  await until('both to hear', () => heard.every((texts) => texts.length === 1));
  expect(heard).toEqual([['hello'], ['hello']]);
});

describe('a question', () => {
  test('is answered by one of those who can', async () => {
    let answered = 0;
    const reply = async ({ text }: Note) => ((answered += 1), { text: `${text}!` });
    const ears = [bus, other].map((one) => one.onQuestion('rpc.shared', note, note, reply));
    await Promise.all([bus.ready(), other.ready()]);
    expect(await bus.ask('rpc.shared', { schema: note, message: { text: 'hello' } }, note, 5000)).toEqual({ text: 'hello!' });
    expect(answered).toBe(1);
    ears.forEach((ear) => ear.unsubscribe());
  });

  test('that nobody hears yet is answered by whoever comes, if one comes in time', async () => {
    const ask = (timeoutMs: number) => bus.ask('rpc.late', { schema: note, message: { text: 'hello' } }, note, timeoutMs);
    await expect(ask(500)).rejects.toThrow(/responders/);
    const asked = ask(5000);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const ear = other.onQuestion('rpc.late', note, note, async ({ text }) => ({ text: `${text}!` }));
    expect(await asked).toEqual({ text: 'hello!' });
    ear.unsubscribe();
  });

  test.each<[string, () => Promise<Note>]>([
    ['fails', () => Promise.reject(new Error('a fault'))],
    ['gives an answer that does not fit', () => Promise.resolve({ text: 7 } as unknown as Note)],
  ])('whose answerer %s gets no answer, so that it is asked again', async (_what, reply) => {
    const ear = bus.onQuestion('rpc.faulty', note, note, reply);
    await expect(bus.ask('rpc.faulty', { schema: note, message: { text: 'hello' } }, note, 300)).rejects.toThrow(/timeout/i);
    ear.unsubscribe();
  });
});

test('a roll call is answered by every process that is there, with what it serves', async () => {
  other.serves = () => [{ provider: PROVIDER, upstream: 'live', slots: 3, running: 1 }];
  await Promise.all([bus.ready(), other.ready()]);
  const present = await bus.rollCall();
  expect(present.map(({ service, serves }) => [service, serves]).sort()).toEqual([
    ['other', [{ provider: PROVIDER, upstream: 'live', slots: 3, running: 1 }]],
    ['test', []],
  ]);
  const gone = await Bus.connect(tested.settings, 'gone', silentLogger());
  await gone.ready();
  expect(await bus.rollCall()).toHaveLength(3);
  await gone.close();
  expect(await bus.rollCall()).toHaveLength(2);
});
