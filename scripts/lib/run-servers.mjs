// PostgreSQL, NATS and Redis of one run of the tests, the faults or the benchmarks, in a folder that goes with them.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endLeftovers, recordProcesses } from './leftovers.mjs';
import { takeLock } from './lock.mjs';
import { silently } from './progress.mjs';
import { seedOf } from './seed.mjs';
import { provideServers } from './servers.mjs';
import { localDir, packagesDir } from './workspace.mjs';
import { readJson } from './write-whole.mjs';

const STOP_WITHIN_MS = 10_000;
/** With what each of the transactions was at; further lines of an entry begin with a tab. */
const DEADLOCK = /^.*deadlock detected\n.*DETAIL:.*\n(?:\t.*\n)*/gm;

/** Transactions that PostgreSQL ended because they waited for each other in a circle, as its log tells of them. @param {string} log @returns {string[]} */
export const deadlocksIn = (log) => (existsSync(log) ? (readFileSync(log, 'utf8').match(DEADLOCK) ?? []) : []);

/** A folder of a run's own; one that was killed is swept by the next `npm test`. */
export function openRunFolder() {
  mkdirSync(localDir, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(localDir, 'test-'));
  takeLock(join(folder, 'start.lock'));
  return folder;
}

/** With what PostgreSQL keeps elsewhere. @param {string} folder */
export function removeRunFolder(folder) {
  const outside = readJson(join(folder, 'postgres.json'))?.folder;
  for (const path of [outside, folder]) if (path) rmSync(path, { recursive: true, force: true });
}

/** Ends and removes what runs that were killed could not. */
export async function sweepEarlierRuns() {
  mkdirSync(localDir, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(localDir).filter((entry) => entry.startsWith('test-'))) {
    const folder = join(localDir, name);
    if (!takeLock(join(folder, 'start.lock'))) continue;
    await endLeftovers(folder, silently);
    removeRunFolder(folder);
  }
}

/** The servers of a run: `start` gives their addresses, `stop` ends them, even those that are half started. */
export class RunServers {
  /** @type {import('./supervisor.mjs').Supervised[]} */
  #supervised = [];

  /** @param {string} folder @param {import('./progress.mjs').Progress} progress */
  constructor(folder, progress) {
    this.folder = folder;
    this.progress = progress;
  }

  async start() {
    const { folder, progress } = this;
    const { addresses } = await provideServers({
      dataDir: folder,
      packagesDir,
      password: seedOf(folder).serverPassword,
      durable: false,
      progress,
      supervised: this.#supervised,
      watcher: { onLine: () => {}, onEvent: ({ name }, text) => progress.say(`${name}: ${text}`), onPids: () => recordProcesses(folder, this.#supervised) },
    });
    return addresses;
  }

  /** Whether PostgreSQL had to end transactions that waited for each other in a circle, and says which. None should: what locks several rows does it in the order of their ids, or skips what is locked. */
  hadDeadlocks() {
    const ended = deadlocksIn(join(this.folder, 'log', 'postgres.log'));
    if (ended.length > 0) this.progress.say(`PostgreSQL had to end ${ended.length} transactions that waited for each other in a circle:\n${ended.join('')}`);
    return ended.length > 0;
  }

  async stop() {
    await Promise.all(this.#supervised.map((server) => server.stop(STOP_WITHIN_MS)));
  }
}
