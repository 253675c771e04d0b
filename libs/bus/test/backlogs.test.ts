import { expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { Gate, note, put, useTestBus } from './serve.js';
import { laneOf, readBacklogs, SUBJECTS, SYNC_LANE } from '@overheard/bus';

const tested = useTestBus();

const lanes = async () =>
  (await readBacklogs(tested.bus)).backlogs.flatMap(({ lane, waiting, inWork }) => (waiting + inWork ? [[lane?.lane, waiting, inWork]] : []));

test('tells of each lane what waits and what is at work', async () => {
  const gate = new Gate();
  await tested.serve(gate.hold);
  await put(tested.bus, SYNC_LANE, 'at work');
  await until('it to run', () => gate.running === 1);
  for (const text of ['first', 'second']) await put(tested.bus, laneOf(3), text);
  expect(await lanes()).toEqual([
    [SYNC_LANE, 0, 1],
    [laneOf(3), 2, 0],
  ]);
  for (let count = 0; count < 3; count++) await until(`${count} to have run`, () => gate.running === 1 && (gate.release(), true));
  await until('all to be acknowledged', async () => (await lanes()).length === 0);
});

test('the age is that of the first that waits, not of what is at work', async () => {
  const gate = new Gate();
  await tested.serve(gate.hold);
  await put(tested.bus, laneOf(3), 'at work');
  await until('it to run', () => gate.running === 1);
  const age = async () => (await readBacklogs(tested.bus)).backlogs.find(({ lane }) => lane?.lane === laneOf(3))?.oldestMs ?? 0;
  expect(await age()).toBe(0);
  await put(tested.bus, laneOf(3), 'waiting');
  await put(tested.bus, laneOf(9), 'of another lane');
  await until('it to grow old', async () => (await age()) > 100);
  gate.release();
  await until('the other lane, which comes first', () => gate.begun.length === 2);
  gate.release();
  await until('it to be taken', async () => (await age()) === 0);
  gate.release();
});

test('sees what waits in a lane that no worker has ever served', async () => {
  await tested.bus.publish(SUBJECTS.work('UNSERVED', laneOf(5)), note, { text: 'waits' }, 'id');
  const { backlogs } = await readBacklogs(tested.bus);
  expect(backlogs.filter(({ waiting }) => waiting > 0)).toEqual([
    { consumer: undefined, lane: { provider: 'UNSERVED', lane: laneOf(5) }, waiting: 1, inWork: 0, oldestMs: expect.any(Number) },
  ]);
});
