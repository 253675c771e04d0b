// `npm start`: everything on one machine, as spec/operations describes it. See docs/operations.md.
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from './lib/chromium.mjs';
import { endRunning, run } from './lib/command.mjs';
import { endLeftovers, recordProcesses } from './lib/leftovers.mjs';
import { takeLock } from './lib/lock.mjs';
import { readable } from './lib/log-lines.mjs';
import { isFree } from './lib/ports.mjs';
import { programPath } from './lib/programs.mjs';
import { exitWith, outliveReaders, progressOn } from './lib/progress.mjs';
import { seedOf } from './lib/seed.mjs';
import { portsOf, provideServers } from './lib/servers.mjs';
import { addressesOf, portNames, programOf, servicesOf, stopOrder } from './lib/services.mjs';
import { Supervised } from './lib/supervisor.mjs';
import { build, install, localDir, packagesDir, root } from './lib/workspace.mjs';
import { readJson, writeWhole } from './lib/write-whole.mjs';

/** @typedef {import('./lib/services.mjs').Provider} Provider */
/** @typedef {import('./lib/services.mjs').Service} Service */

const READY_MS = 120_000;
/** The services have this long to finish their work; with the servers' end that is well under a minute. */
const GRACE_MS = 30_000;
const PHASE_MS = 8000;
const SERVER_GRACE_MS = 12_000;

const progress = progressOn(process.stdout);
const dataDir = resolve(root, process.env.DATA_DIR || '.local');
const runFile = join(dataDir, 'run.json');

/** @type {Supervised[]} */
const servers = [];
/** @type {Supervised[]} */
const services = [];
/** @type {(() => void) | undefined} */
let releaseLock;
/** @type {Promise<void> | undefined} */
let stopping;
let writeRunFile = () => {};

const watcher = {
  onLine: (/** @type {{ name: string }} */ { name }, /** @type {string} */ line) => progress.say(readable(name, line)),
  onEvent: (/** @type {{ name: string }} */ { name }, /** @type {string} */ text) =>
    progress.say(readable(name, JSON.stringify({ level: 40, time: Date.now(), msg: text }))),
  onPids() {
    recordProcesses(dataDir, [...servers, ...services]);
    writeRunFile();
  },
};

outliveReaders();
// npm passes a signal on that the terminal or a process group has sent to us already, so a second one means nothing.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => void stop(0));

try {
  await start();
} catch (error) {
  if (!stopping) process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`);
  await stop(1);
}

async function start() {
  takeDataDir();
  const publicPort = Number(process.env.PORT || 8080);
  if (!Number.isInteger(publicPort) || publicPort < 0 || publicPort > 65_535) throw new Error(`PORT=${process.env.PORT} is no port.`);
  await endLeftovers(dataDir, progress);
  if (publicPort !== 0 && !(await isFree(publicPort)))
    throw new Error(`Port ${publicPort} is taken. Choose another: PORT=8081 npm start, or PORT=0 for any free one.`);
  await install(progress);
  await build(progress);

  const seed = seedOf(dataDir);
  const { addresses, postgresDataDir } = await progress.during('starting PostgreSQL, NATS and Redis', () =>
    provideServers({ dataDir, packagesDir, password: seed.serverPassword, durable: true, progress, watcher, supervised: servers }),
  );
  const browser = await chromium(packagesDir, progress);
  const environment = { ...process.env, ...addresses, ENCRYPTION_KEY: seed.encryptionKey, ...(browser ? { BROWSER_EXECUTABLE: browser } : {}) };
  const { apiKey, accountId, admin } = seed;
  await progress.during('preparing the database', () => commandLine(['setup'], environment, JSON.stringify({ apiKey, accountId, admin })));
  /** @type {Provider[]} */
  const providers = JSON.parse(await commandLine(['providers'], environment));

  const ports = await portsOf(dataDir, portNames);
  if (publicPort !== 0) ports.public = publicPort;
  const specifications = servicesOf({ ports, providers, environment });
  await progress.during('starting the services', () => startServices(specifications));

  writeRunFile = () =>
    writeWhole(runFile, {
      ready: true,
      ...addressesOf(ports),
      apiKey,
      accountId,
      admin,
      databaseUrl: addresses.DATABASE_URL,
      natsUrl: addresses.NATS_URL,
      redisUrl: addresses.REDIS_URL,
      ...(postgresDataDir ? { postgresDataDir } : {}),
      services: listing(specifications),
    });
  if (stopping) return;
  writeRunFile();
  greet({ ...addressesOf(ports), apiKey, providers, email: admin.email });
}

/** Makes the data folder ours alone, and refuses one that holds other things: its mode is about to change. */
function takeDataDir() {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const present = readdirSync(dataDir).filter((name) => !/^(start\.lock|lost\+found)/.test(name));
  if (dataDir !== localDir && present.length > 0 && !present.includes('seed.json'))
    throw new Error(`DATA_DIR ${dataDir} holds files that are not ours. Name an empty folder.`);
  chmodSync(dataDir, 0o700);
  const path = join(dataDir, 'start.lock');
  releaseLock = takeLock(path);
  if (!releaseLock) throw new Error(`npm start runs in ${dataDir} already (process ${readJson(path)?.pid}). End it, or set another DATA_DIR.`);
  seedOf(dataDir);
  rmSync(runFile, { force: true });
}

/** @param {string[]} words @param {NodeJS.ProcessEnv} env @param {string} [input] */
async function commandLine(words, env, input) {
  return (await run(process.execPath, [programPath(root, 'cli'), ...words], { cwd: root, env, ...(input === undefined ? {} : { input }) })).stdout;
}

/** @param {Service[]} specifications */
async function startServices(specifications) {
  if (stopping) return;
  for (const specification of specifications) services.push(new Supervised(programOf(specification), watcher));
  for (const service of services) service.start();
  await Promise.all(services.map((service) => service.untilReady(READY_MS)));
}

/** @param {Service[]} specifications */
function listing(specifications) {
  return specifications.flatMap(({ name, listedAs, healthPort }) => {
    const pid = services.find(({ program }) => program.name === name)?.pid;
    return listedAs.map((listed) => ({ name: listed, pid, healthUrl: `http://127.0.0.1:${healthPort}/healthz` }));
  });
}

/** @param {{ baseUrl: string, dashboardUrl: string, sandboxUrl: string, apiKey: string, providers: Provider[], email: string }} facts */
function greet({ baseUrl, dashboardUrl, sandboxUrl, apiKey, providers, email }) {
  const first = providers[0];
  const path = first?.path ?? first?.id.toLowerCase().replaceAll('_', '/');
  const onSandbox = providers.filter(({ live }) => !live).map(({ id }) => id);
  progress.say(`
Overheard is ready. Ctrl-C ends it and keeps its data.

  API        ${baseUrl}
  API key    ${apiKey}
  dashboard  ${dashboardUrl}   (${email}; the password is in ${runFile})
  sandbox    ${sandboxUrl}
${onSandbox.length > 0 ? `\nProviders without credentials: ${onSandbox.join(', ')} answer from the sandbox (header X-Upstream: sandbox).\n` : ''}
Try it:

  curl -s ${baseUrl}/v1/monitor/${path} -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '{"prompt":"best running shoes","country":"US"}'
`);
}

/**
 * Ends everything and this process. What is under way has half a minute.
 * @param {number} status
 */
function stop(status) {
  stopping ??= (async () => {
    endRunning();
    if (services.length > 0) progress.say('ending the services …');
    await stopServices();
    await Promise.all(servers.map((server) => server.stop(SERVER_GRACE_MS)));
    if (releaseLock) rmSync(runFile, { force: true });
    if (releaseLock) rmSync(join(dataDir, 'processes.json'), { force: true });
    releaseLock?.();
    exitWith(status);
  })();
  return stopping;
}

/** In the order of `stopOrder`: a phase begins when the one before is over or has had its time, and all share one grace. */
async function stopServices() {
  const end = Date.now() + GRACE_MS;
  /** @type {Promise<void>[]} */
  const stopped = [];
  for (const names of stopOrder) {
    const phase = Promise.all(services.filter(({ program }) => names.includes(program.name)).map((service) => service.stop(end - Date.now())));
    stopped.push(phase.then(() => {}));
    await Promise.race([phase, sleep(PHASE_MS)]);
  }
  await Promise.all(stopped);
}
