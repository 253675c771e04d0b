// A Redis server of our own.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';
import { debianPackage, libraryPath, onPath } from './packages.mjs';
import { talk } from './talk.mjs';
import { writeWhole } from './write-whole.mjs';

/** @typedef {import('./servers.mjs').Place} Place */
/** @typedef {{ command: string, env: NodeJS.ProcessEnv }} Found */

/**
 * The program that serves Redis, and its address; undefined where there is none.
 * @param {Place} place
 * @returns {Promise<import('./servers.mjs').Provided | undefined>}
 */
export async function redis(place) {
  const { dataDir, port, password, logFile } = place;
  const found = await findServer(place);
  if (!found) return undefined;
  const store = join(dataDir, 'redis');
  mkdirSync(store, { recursive: true, mode: 0o700 });
  const config = join(dataDir, 'redis.conf');
  writeWhole(config, configuration({ port, password, store }));
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    program: {
      ...found,
      name: 'redis',
      args: [config],
      stopSignal: 'SIGTERM',
      logFile,
      // +OK to the password alone would also come while it still loads its data.
      isReady: async () => (await talk({ host: '127.0.0.1', port }, `AUTH ${password}\r\nPING\r\n`)).includes('+PONG'),
    },
  };
}

/** @param {Place} place @returns {Promise<Found | undefined>} */
async function findServer({ packagesDir, progress }) {
  for (const name of ['redis-server', 'valkey-server']) {
    const installed = onPath(name);
    if (installed && (await runs({ command: installed, env: process.env }))) return { command: installed, env: process.env };
  }
  const unpacked = await debianPackage('redis-server', packagesDir, progress).catch((error) => void progress.say(error.message));
  if (!unpacked) return undefined;
  const found = { command: join(unpacked, 'usr', 'bin', 'redis-server'), env: { ...process.env, LD_LIBRARY_PATH: libraryPath(unpacked) } };
  return (await runs(found)) ? found : undefined;
}

/** @param {Found} found */
const runs = ({ command, env }) =>
  run(command, ['--version'], { env }).then(
    () => true,
    () => false,
  );

/** @param {{ port: number, password: string, store: string }} settings */
const configuration = ({ port, password, store }) => `\
# Written at each start.
bind 127.0.0.1
protected-mode yes
port ${port}
requirepass ${password}
dir ${JSON.stringify(store)}
appendonly yes
appendfsync everysec
`;
