// Provides PostgreSQL, NATS and Redis: those that the environment names, else servers of our own in a data folder.
import { mkdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { nats } from './nats.mjs';
import { choosePorts } from './ports.mjs';
import { postgres } from './postgres.mjs';
import { redis } from './redis.mjs';
import { Supervised } from './supervisor.mjs';
import { answers } from './talk.mjs';
import { readJson, writeWhole } from './write-whole.mjs';

/**
 * What a server of ours is given.
 * @typedef {object} Place
 * @property {string} dataDir
 * @property {string} packagesDir where fetched programs are kept
 * @property {number} port
 * @property {string} password
 * @property {string} logFile
 * @property {boolean} durable whether its data must survive a crash of the machine
 * @property {import('./progress.mjs').Progress} progress
 */

/** @typedef {{ program: import('./supervisor.mjs').Program, url: string, postgresDataDir?: string }} Provided a server of ours; `postgresDataDir` where its data are outside the data folder */

/**
 * @typedef {object} Servers
 * @property {{ DATABASE_URL: string, NATS_URL: string, REDIS_URL: string }} addresses
 * @property {string} [postgresDataDir]
 * @property {Supervised[]} supervised the servers of our own
 */

/** @type {{ name: string, variable: 'DATABASE_URL' | 'NATS_URL' | 'REDIS_URL', key: string, provide: (place: Place) => Promise<Provided | undefined>, defaultPort: number }[]} */
const KINDS = [
  { name: 'PostgreSQL', variable: 'DATABASE_URL', key: 'postgres', provide: postgres, defaultPort: 5432 },
  { name: 'NATS', variable: 'NATS_URL', key: 'nats', provide: nats, defaultPort: 4222 },
  { name: 'Redis', variable: 'REDIS_URL', key: 'redis', provide: redis, defaultPort: 6379 },
];

const LOG_LIMIT_BYTES = 20_000_000;

/**
 * Provides the three servers and waits until they answer. Those of our own are added to `supervised` as they start, so that the caller can stop what
 * has begun when a later one fails.
 * @param {{ dataDir: string, packagesDir: string, password: string, durable: boolean, progress: Place['progress'], watcher: import('./supervisor.mjs').Watcher, supervised: Supervised[] }} options
 * @returns {Promise<Servers>}
 */
export async function provideServers({ dataDir, packagesDir, password, durable, progress, watcher, supervised }) {
  const own = KINDS.filter(({ variable }) => !process.env[variable]);
  await Promise.all(KINDS.filter((kind) => !own.includes(kind)).map(requireAnswer));
  const ports = await portsOf(
    dataDir,
    own.map(({ key }) => key),
  );
  mkdirSync(join(dataDir, 'log'), { recursive: true, mode: 0o700 });

  /** @type {Record<string, string>} */
  const addresses = {};
  /** @type {string[]} */
  const missing = [];
  /** @type {string | undefined} */
  let postgresDataDir;
  // One after the other, because apt-get and npm share their folders.
  for (const { name, variable, key, provide } of own) {
    const provided = await provide({ dataDir, packagesDir, port: Number(ports[key]), password, logFile: logFileOf(dataDir, key), durable, progress });
    if (!provided) {
      missing.push(name);
      continue;
    }
    addresses[variable] = provided.url;
    postgresDataDir ??= provided.postgresDataDir;
    const server = new Supervised(provided.program, watcher);
    supervised.push(server);
    server.start();
  }
  if (missing.length > 0) throw new Error(howToInstall(missing));
  await Promise.all(supervised.map((server) => server.untilReady(60_000)));
  const named = Object.fromEntries(KINDS.map(({ variable }) => [variable, addresses[variable] ?? process.env[variable]]));
  return { addresses: /** @type {Servers['addresses']} */ (named), supervised, ...(postgresDataDir ? { postgresDataDir } : {}) };
}

/** @param {typeof KINDS[number]} kind */
async function requireAnswer({ name, variable, defaultPort }) {
  const given = String(process.env[variable]);
  // NATS takes several addresses; one that answers is enough.
  const addresses = given.split(',').map((part) => new URL(part.includes('://') ? part : `nats://${part}`));
  const reached = await Promise.all(
    addresses.map(({ hostname, port }) => answers({ host: hostname.replace(/^\[|\]$/g, '') || '127.0.0.1', port: Number(port) || defaultPort })),
  );
  if (!reached.includes(true)) throw new Error(`${variable} names a ${name} server at ${addresses.map(({ host }) => host).join(', ')}, where nothing answers.`);
}

/** The ports of a data folder: what listens there keeps its port from start to start. @param {string} dataDir @param {string[]} names */
export async function portsOf(dataDir, names) {
  const path = join(dataDir, 'ports.json');
  const before = readJson(path) ?? {};
  const ports = await choosePorts(names, before);
  writeWhole(path, { ...before, ...ports });
  return ports;
}

/** @param {string} dataDir @param {string} key */
function logFileOf(dataDir, key) {
  const path = join(dataDir, 'log', `${key}.log`);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES) truncateSync(path);
  return path;
}

/** @param {string[]} missing */
function howToInstall(missing) {
  return `\
${missing.join(' and ')} could neither be found on this machine nor fetched. Install what is missing, or name a running server in ${KINDS.map(({ variable }) => variable).join(', ')}:
  Debian, Ubuntu   apt-get install postgresql nats-server redis-server
  Fedora           dnf install postgresql-server valkey, and nats-server from the releases of the NATS project
  macOS            brew install postgresql@17 nats-server redis`;
}
