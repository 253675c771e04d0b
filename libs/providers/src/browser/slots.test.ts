import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots.js';

const forever = new AbortController().signal;

describe('slots', () => {
  it('are given out in the order they were asked for', async () => {
    const slots = new Slots(1);
    const order: string[] = [];
    await slots.take(forever);
    const waiting = ['a', 'b'].map((name) => slots.take(forever).then(() => order.push(name)));
    slots.release();
    await waiting[0];
    expect(order).toEqual(['a']);
    slots.release();
    await waiting[1];
    expect(order).toEqual(['a', 'b']);
  });

  it('are not waited for any longer after an abort, and none is lost by it', async () => {
    const slots = new Slots(1);
    await slots.take(forever);
    const nobodyWaits = new AbortController();
    const gone = slots.take(nobodyWaits.signal);
    const next = slots.take(forever);
    nobodyWaits.abort(new Error('nobody waits'));
    await expect(gone).rejects.toThrow('nobody waits');
    slots.release();
    await next;
    await expect(slots.take(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });
});
