import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { Batcher } from './batcher.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('Batcher', () => {
  test('gathers what comes while a batch is at work, in order, and gives each caller its own result', async () => {
    const batches: number[][] = [];
    let release: () => void = () => undefined;
    const batcher = new Batcher<number, string>(
      async (items) => {
        batches.push(items);
        await new Promise<void>((resolve) => (release = resolve));
        return items.map((item) => `result of ${item}`);
      },
      { itemsMax: 3 },
    );
    const first = batcher.add(1);
    await tick();
    const later = [2, 3, 4, 5].map((item) => batcher.add(item));
    void Promise.all(later).then(() => clearInterval(releasing));
    const releasing = setInterval(() => release(), 1);
    expect(await Promise.all([first, ...later])).toEqual([1, 2, 3, 4, 5].map((item) => `result of ${item}`));
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  });

  test("fails only the guilty item when the failure is an item's own", async () => {
    const batcher = new Batcher<string, string>(
      async (items) => {
        if (items.includes('bad')) throw new RangeError('bad item');
        return items;
      },
      { itemsMax: 10, isItemsFault: (error) => error instanceof RangeError },
    );
    const results = await Promise.allSettled(['a', 'bad', 'b'].map((item) => batcher.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('fails everybody at once, without trying them one by one, when the database is away', async () => {
    let calls = 0;
    const batcher = new Batcher<number, number>(
      async () => {
        calls += 1;
        throw new Error('away');
      },
      { itemsMax: 10, isItemsFault: () => false },
    );
    const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(calls).toBe(1);
  });

  test('lets a heavy item travel alone', async () => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, number>(async (items) => (batches.push(items), items), { itemsMax: 10, weightMax: 10, weigh: (item) => item });
    await Promise.all([4, 5, 30, 2].map((item) => batcher.add(item)));
    expect(batches).toEqual([[4, 5], [30], [2]]);
  });

  test('goes at once with a lone item, and gathers a little longer after a batch of several', async () => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, number>(async (items) => (batches.push(items), await sleep(20), items), { itemsMax: 10 });
    const lone = batcher.add(1);
    await tick();
    expect(batches).toEqual([[1]]);
    await lone;
    await Promise.all([2, 3].map((item) => batcher.add(item)));
    const fourth = batcher.add(4);
    await tick();
    await Promise.all([fourth, batcher.add(5)]);
    expect(batches).toEqual([[1], [2, 3], [4, 5]]);
  });

  test('gathers no longer than the batch before was at work, so that what is quick stays quick', async () => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, number>(async (items) => (batches.push(items), items), { itemsMax: 10 });
    await Promise.all([1, 2].map((item) => batcher.add(item)));
    const ended = [batcher.add(3).then(() => 'batch'), sleep(4).then(() => '4 ms')];
    expect(await Promise.race(ended)).toBe('batch');
    expect(batches).toEqual([[1, 2], [3]]);
  });

  test('gathers for as long as it is told what nobody waits for', async () => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, number>(async (items) => (batches.push(items), items), { itemsMax: 10, gatherMs: 20 });
    const first = batcher.add(1);
    await tick();
    await tick();
    await Promise.all([first, batcher.add(2)]);
    expect(batches).toEqual([[1, 2]]);
  });
});
