// A NATS server with JetStream of our own.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';
import { debianPackage, onPath } from './packages.mjs';
import { talk } from './talk.mjs';
import { writeWhole } from './write-whole.mjs';

/** @typedef {import('./servers.mjs').Place} Place */

/**
 * The program that serves NATS, and its address; undefined where there is none.
 * @param {Place} place
 * @returns {Promise<import('./servers.mjs').Provided | undefined>}
 */
export async function nats(place) {
  const { dataDir, port, password, logFile } = place;
  const command = await findServer(place);
  if (!command) return undefined;
  const store = join(dataDir, 'nats');
  mkdirSync(store, { recursive: true, mode: 0o700 });
  const config = join(dataDir, 'nats.conf');
  writeWhole(config, configuration({ port, password, store }));
  return {
    url: `nats://overheard:${password}@127.0.0.1:${port}`,
    program: {
      name: 'nats',
      command,
      args: ['-c', config],
      env: process.env,
      stopSignal: 'SIGTERM',
      logFile,
      isReady: async () => (await talk({ host: '127.0.0.1', port }, '')).startsWith('INFO '),
    },
  };
}

/** @param {Place} place */
async function findServer({ packagesDir, progress }) {
  const installed = onPath('nats-server');
  if (installed && (await runs(installed))) return installed;
  const unpacked = await debianPackage('nats-server', packagesDir, progress).catch((error) => void progress.say(error.message));
  const program = unpacked && join(unpacked, 'usr', 'sbin', 'nats-server');
  return program && (await runs(program)) ? program : undefined;
}

/** @param {string} program */
const runs = (program) =>
  run(program, ['--version']).then(
    () => true,
    () => false,
  );

/** @param {{ port: number, password: string, store: string }} settings */
const configuration = ({ port, password, store }) => `\
# Written at each start.
host: "127.0.0.1"
port: ${port}
server_name: "overheard"
authorization { user: "overheard", password: "${password}" }
jetstream {
  store_dir: ${JSON.stringify(store)}
  max_memory_store: 256MB
  # A limit, not a reservation on the disk; streams with a max_bytes count against it.
  max_file_store: 64GB
}
`;
