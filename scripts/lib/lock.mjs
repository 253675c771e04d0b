// One process at a time: a file that names its holder, and is worth nothing once the holder is gone.
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, isAlive } from './process-identity.mjs';
import { readJson } from './write-whole.mjs';

/**
 * Takes a lock and gives the function that returns it; undefined when a living process holds it.
 * @param {string} path
 * @returns {(() => void) | undefined}
 */
export function takeLock(path) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(identify(process.pid)), { mode: 0o600 });
  try {
    // A link appears whole or not at all, and fails where the name is taken.
    linkSync(draft, path);
    return () => rmSync(path, { force: true });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  if (isAlive(readJson(path))) return undefined;
  removeStale(path);
  return takeLock(path);
}

/**
 * Does work while holding a lock; waits for others first.
 * @template Result
 * @param {string} path
 * @param {() => Promise<Result>} work
 */
export async function withLock(path, work) {
  let release = takeLock(path);
  while (!release) {
    await sleep(200);
    release = takeLock(path);
  }
  try {
    return await work();
  } finally {
    release();
  }
}

/** Removes a dead holder's lock, but not the one that another process may have put there in the meantime. @param {string} path */
function removeStale(path) {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    if (isAlive(readJson(aside))) linkSync(aside, path);
  } catch {
    // Another process was faster.
  }
  rmSync(aside, { force: true });
}
