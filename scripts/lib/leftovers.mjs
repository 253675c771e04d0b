// What a run that was killed has left behind: each data folder lists the processes that work for it.
import { join } from 'node:path';
import { endProcess, identify, isAlive } from './process-identity.mjs';
import { readJson, writeWhole } from './write-whole.mjs';

const FILE = 'processes.json';
const GRACE_MS = 10_000;

/** Lists the living processes of a data folder. @param {string} dataDir @param {{ pid: number | undefined, program: import('./supervisor.mjs').Program }[]} supervised */
export function recordProcesses(dataDir, supervised) {
  const entries = supervised.flatMap(({ pid, program: { name, stopSignal } }) => {
    const identity = pid === undefined ? undefined : identify(pid);
    return identity ? [{ name, stopSignal, ...identity }] : [];
  });
  writeWhole(join(dataDir, FILE), entries);
}

/** Ends what is still there of an earlier run. @param {string} dataDir @param {import('./progress.mjs').Progress} progress */
export async function endLeftovers(dataDir, progress) {
  /** @type {{ name: string, stopSignal: NodeJS.Signals, pid: number, born: string }[]} */
  const left = (readJson(join(dataDir, FILE)) ?? []).filter(isAlive);
  if (left.length > 0) progress.say(`ending what an earlier run left behind: ${left.map(({ name, pid }) => `${name} (${pid})`).join(', ')}`);
  await Promise.all(left.map((entry) => endProcess(entry, entry.stopSignal, GRACE_MS)));
}
