import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a look gives something, and gives it back; fails with what was waited for. */
export async function until<T>(what: string, look: () => T | Promise<T>, withinMs = 30_000): Promise<NonNullable<Exclude<T, false>>> {
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(20)) {
    const found = await look();
    if (found) return found as NonNullable<Exclude<T, false>>;
  }
  throw new Error(`waited ${withinMs} ms in vain for ${what}`);
}
