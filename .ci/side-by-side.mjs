// Two gateways, two task-stores, two dispatchers and three workers of every provider side by side: `npm start`, and beside it a second of each (of
// workers two more), behind a door that gives each connection to the next gateway. `node .ci/side-by-side.mjs FOLDER [WORDS…]` starts them, runs the
// acceptance suite in FOLDER on them, with these words, and ends with its status.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { choosePorts } from '../scripts/lib/ports.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const READY_MS = 15 * 60_000;
const MORE = ['gateway', 'task-store', 'webhook-dispatcher', 'worker', 'worker'];
const [folder = '../shared/check', ...words] = process.argv.slice(2);

const dataDir = mkdtempSync(join(tmpdir(), 'overheard-one-'));
// What the suite is told: the same product, with the door for its address.
const facade = mkdtempSync(join(tmpdir(), 'overheard-two-'));
const ports = await choosePorts(['hooks', 'canary', 'slow', 'door', 'gateway', ...MORE.map((_app, index) => `health-${index}`)], {});
const settings = {
  WEBHOOK_RETRY_DELAYS: '300ms,600ms,900ms,1200ms',
  TASK_RETENTION: '20s',
  HTML_RETENTION: '20s',
  WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${ports.hooks},127.0.0.2:${ports.slow}`,
};
/** @type {import('node:child_process').ChildProcess[]} */
const children = [];
let status = 1;
try {
  const first = start('npm', ['start'], { ...process.env, ...settings, DATA_DIR: dataDir, PORT: '0' });
  const file = join(dataDir, 'run.json');
  await until('npm start to be ready', () => existsSync(file), first);
  const run = JSON.parse(readFileSync(file, 'utf8'));
  for (const [index, app] of MORE.entries()) await another(app, index, run);
  openDoor([Number(new URL(run.baseUrl).port), Number(ports.gateway)]);
  copyFileSync(join(dataDir, 'seed.json'), join(facade, 'seed.json'));
  writeFileSync(join(facade, 'run.json'), JSON.stringify({ ...run, baseUrl: `http://127.0.0.1:${ports.door}` }));
  const receivers = [ports.hooks, ports.canary, ports.slow].join(',');
  const suite = start(process.execPath, [join(folder, 'acceptance/acceptance.mjs'), '--repo', root, '--data-dir', facade, '--ports', receivers, ...words]);
  [status] = await once(suite, 'exit');
} finally {
  for (const child of children.reverse()) await end(child);
  for (const made of [dataDir, facade]) rmSync(made, { recursive: true, force: true });
}
process.exit(status ?? 1);

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
function start(command, args, env = process.env) {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  children.push(child);
  return child;
}

/** One more of a service that runs, in its environment but for its ports. @param {string} app @param {number} index @param {any} run */
async function another(app, index, run) {
  const { pid } = run.services.find((/** @type {{ name: string }} */ { name }) => name.startsWith(app));
  const env = Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
  const program = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] ?? '';
  const health = ports[`health-${index}`];
  const own = { HEALTH_PORT: String(health), PARENT_STDIN: '', ...(app === 'gateway' ? { PORT: String(ports.gateway) } : {}) };
  const child = start(process.execPath, [program], { ...env, ...own });
  const isReady = () =>
    fetch(`http://127.0.0.1:${health}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(`another ${app} to be ready`, isReady, child);
}

/** @param {string} what @param {() => boolean | Promise<boolean>} holds @param {import('node:child_process').ChildProcess} child */
async function until(what, holds, child) {
  for (const deadline = Date.now() + READY_MS; !(await holds()); await sleep(100)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`expected ${what}`);
  }
}

/** Each connection goes to the next gateway. @param {number[]} gateways */
function openDoor(gateways) {
  let turn = 0;
  createServer({ allowHalfOpen: true }, (outside) => {
    const inside = connect({ port: /** @type {number} */ (gateways[turn++ % gateways.length]), host: '127.0.0.1', allowHalfOpen: true });
    outside.pipe(inside).pipe(outside);
    for (const [one, other] of [
      [outside, inside],
      [inside, outside],
    ])
      one?.on('error', () => other?.destroy()).on('close', () => other?.destroy());
  }).listen(ports.door, '127.0.0.1');
}

/** @param {import('node:child_process').ChildProcess} child */
async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
