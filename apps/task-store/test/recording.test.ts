import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { RETRIES_EXCEEDED } from '@overheard/contracts';
import { until } from '@overheard/testing';
import { useStack } from '../../../test/stack.js';
import { completed, failed, Neighbours } from './events.js';

const stack = useStack({ services: ['task-store'] });
let neighbours: Neighbours;
beforeAll(() => {
  neighbours = new Neighbours(stack.bus);
});

const taskOf = (id: string) => stack.database.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describe('of two outcomes of a task', () => {
  test('the first to be recorded stands, for whoever asks, in every race', async () => {
    const ids = Array.from({ length: 40 }, () => randomUUID());
    const race = (id: string, index: number) => {
      const outcomes = [completed('{"text":"it went well"}'), failed];
      return Promise.all((index % 2 ? outcomes : outcomes.reverse()).map((outcome) => neighbours.finish(id, outcome)));
    };
    await Promise.all(ids.map(race));
    for (const id of ids) {
      const told = await neighbours.noticesOf(id, 2);
      const [first, second] = told.map(({ outcome: _outcome, ...standing }) => standing);
      const row = await taskOf(id);
      expect(first).toMatchObject({ status: row.status, charge: row.charge, statusCode: row.status_code, completedAt: row.completed_at?.toISOString() });
      expect(second).toEqual(first);
      expect([row.response === null, row.error === null, row.charge]).toEqual(row.status === 'COMPLETED' ? [false, true, true] : [true, false, false]);
    }
  });

  test('the first to come stands even when both are written at once, and both are told the same', async () => {
    // While a large answer is being written, all others gather in one batch.
    const large = neighbours.finish(randomUUID(), completed(JSON.stringify('x'.repeat(8_000_000))));
    const ids = Array.from({ length: 30 }, () => randomUUID());
    for (const id of ids) {
      await neighbours.finish(id, completed('"first"'));
      await neighbours.finish(id, failed);
    }
    await large;
    const told = await Promise.all(ids.map((id) => neighbours.noticesOf(id, 2)));
    expect(told.flat().map(({ status, outcome }) => [status, outcome?.status ?? status])).toEqual(told.flat().map(() => ['COMPLETED', 'COMPLETED']));
  });

  test('the later one is answered with the outcome that stands, never with its own', async () => {
    const id = randomUUID();
    await neighbours.finish(id, failed);
    await neighbours.noticesOf(id, 1);
    await neighbours.finish(id, completed('"too late"'));
    const [first, second] = await neighbours.noticesOf(id, 2);
    expect(first).toMatchObject({ status: 'FAILED', statusCode: 502, charge: false, outcome: failed });
    expect(second).toMatchObject({ status: 'FAILED', statusCode: 502, charge: false });
    expect(second?.outcome).toBeUndefined();
  });
});

describe('the outcome of a task is told', () => {
  test('to the gateway that waits for it, answer and all, and to all of them, since that one may be gone', async () => {
    const waitedFor = randomUUID();
    await neighbours.finish(waitedFor, completed('"yes"'));
    expect(await neighbours.noticesOf(waitedFor)).toMatchObject([{ status: 'COMPLETED', outcome: completed('"yes"') }]);
    expect(await neighbours.eventsOf(waitedFor)).toMatchObject([{ status: 'COMPLETED', charge: true }]);
  });

  test('by an event that outlasts a crash, and without the answer, when nobody waits', async () => {
    const id = randomUUID();
    await neighbours.finish(id, completed('"yes"'), { waiting: false });
    const [event] = await neighbours.eventsOf(id);
    expect(event).toMatchObject({ status: 'COMPLETED', charge: true, statusCode: 200 });
    expect(JSON.stringify(event)).not.toContain('yes');
  });
});

describe('an answer is stored byte for byte', () => {
  test.each([
    ['an escaped U+0000', String.raw`{"text":"before\u0000after"}`],
    ['escaped halves of surrogate pairs', String.raw`{"text":"\ud83d \udc00 \uD83D\uDE00"}`],
    ['blanks, order and double fields', '{ "b" : 1,\n\t"a":[ ], "a": 2 }'],
    ['numbers that no computer holds', '{"n":123456789012345678901234567890.10,"m":1e999,"z":-0}'],
    ['names that mean something to JavaScript', '{"__proto__":{"x":1},"constructor":null}'],
    ['text beyond ASCII', '{"text":"é 漢字 🫖 \u2028 \u200d"}'],
  ])('with %s', async (_what, response) => {
    const id = randomUUID();
    await neighbours.finish(id, completed(response));
    const [notice] = await neighbours.noticesOf(id);
    expect(notice?.outcome).toMatchObject({ status: 'COMPLETED', response });
    expect((await taskOf(id)).response).toBe(response);
  });

  test('of 20 MB, which the gateway then reads for itself', async () => {
    const id = randomUUID();
    const response = JSON.stringify({ text: 'é'.repeat(10_000_000) });
    await neighbours.finish(id, completed(response));
    const [notice] = await neighbours.noticesOf(id);
    expect(notice).toMatchObject({ status: 'COMPLETED', charge: true });
    expect(notice?.outcome).toBeUndefined();
    expect((await taskOf(id)).response === response).toBe(true);
  });
});

test('an answer that PostgreSQL can not hold ends its task as our fault, free, and no other with it', async () => {
  const [bad, ...good] = Array.from({ length: 6 }, () => randomUUID());
  await Promise.all([neighbours.finish(bad as string, completed('"\u0000"')), ...good.map((id) => neighbours.finish(id, completed('"fine"')))]);
  expect(await neighbours.noticesOf(bad as string)).toMatchObject([{ status: 'FAILED', charge: false, statusCode: 500 }]);
  expect(JSON.parse((await taskOf(bad as string)).error ?? '')).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: RETRIES_EXCEEDED });
  for (const id of good) expect(await neighbours.noticesOf(id)).toMatchObject([{ status: 'COMPLETED' }]);
});

test('an answer expires at its retention after completion, on the clock of the database', async () => {
  const id = randomUUID();
  await neighbours.finish(id, completed('"short-lived"'));
  await neighbours.noticesOf(id);
  const { completed_at: completedAt, expires_at: expiresAt } = await taskOf(id);
  expect(Number(expiresAt) - Number(completedAt)).toBe(86_400_000);
});

test('outcomes that came while the task-store was away are recorded when it is back', async () => {
  await stack.kill('task-store');
  const ids = Array.from({ length: 20 }, () => randomUUID());
  await Promise.all(ids.map((id) => neighbours.finish(id, completed('"kept"'))));
  await stack.restart('task-store');
  for (const id of ids) await neighbours.noticesOf(id);
  const { num_pending: waiting, num_ack_pending: taken } = await until('all to be acknowledged', async () => {
    const info = await stack.bus.manager.consumers.info(stack.bus.names.stream('OUTCOME'), 'record');
    return info.num_ack_pending === 0 && info;
  });
  expect([waiting, taken]).toEqual([0, 0]);
});
