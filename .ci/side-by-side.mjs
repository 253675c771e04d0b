// Two gateways, two task-stores, two dispatchers and three workers of every provider side by side: `npm start`, and beside it a second of each (of
// workers two more), behind a door that gives each connection to the next gateway. `node .ci/side-by-side.mjs FOLDER [WORDS…]` starts them, runs the
// acceptance suite in FOLDER on them, with these words, and ends with its status.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProduct } from '../bench/lib/product.mjs';
import { choosePorts } from '../scripts/lib/ports.mjs';
import { programOf } from '../scripts/lib/services.mjs';
import { Supervised } from '../scripts/lib/supervisor.mjs';
import { root } from '../scripts/lib/workspace.mjs';

const READY_MS = 120_000;
const GRACE_MS = 30_000;
const MORE = ['gateway', 'task-store', 'webhook-dispatcher', 'worker', 'worker'];
const [folder = '../shared/check', ...words] = process.argv.slice(2);

// What the suite is told: the same product, with the door for its address.
const facade = mkdtempSync(join(tmpdir(), 'overheard-facade-'));
const ports = await choosePorts(['hooks', 'canary', 'slow', 'door', 'gateway', ...MORE.map((_app, index) => `health-${index}`)], {});
const product = await startProduct({
  WEBHOOK_RETRY_DELAYS: '300ms,600ms,900ms,1200ms',
  TASK_RETENTION: '20s',
  HTML_RETENTION: '20s',
  WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${ports.hooks},127.0.0.2:${ports.slow}`,
});
const others = MORE.map(another);
let status = 1;
try {
  for (const other of others) other.start();
  await Promise.all(others.map((other) => other.untilReady(READY_MS)));
  openDoor([Number(new URL(product.baseUrl).port), Number(ports.gateway)]);
  copyFileSync(join(product.dataDir, 'seed.json'), join(facade, 'seed.json'));
  const run = JSON.parse(readFileSync(join(product.dataDir, 'run.json'), 'utf8'));
  writeFileSync(join(facade, 'run.json'), JSON.stringify({ ...run, baseUrl: `http://127.0.0.1:${ports.door}` }));
  const receivers = [ports.hooks, ports.canary, ports.slow].join(',');
  const suite = spawn(process.execPath, [join(folder, 'acceptance/acceptance.mjs'), '--repo', root, '--data-dir', facade, '--ports', receivers, ...words], {
    stdio: 'inherit',
  });
  [status] = await once(suite, 'exit');
} finally {
  await Promise.all(others.map((other) => other.stop(GRACE_MS)));
  await product.stop();
  rmSync(facade, { recursive: true, force: true });
}
process.exit(status ?? 1);

/** One more of a service that runs, in its environment but for its ports. @param {string} app @param {number} index */
function another(app, index) {
  const { pid } = product.services.find((/** @type {{ name: string }} */ { name }) => name.startsWith(app));
  const env = Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
  const healthPort = Number(ports[`health-${index}`]);
  const own = { HEALTH_PORT: String(healthPort), ...(app === 'gateway' ? { PORT: String(ports.gateway) } : {}) };
  const program = programOf({ name: `${app}-${index}`, app, listedAs: [], healthPort, env: { ...env, ...own } });
  return new Supervised(program, { onLine: () => {}, onEvent: ({ name }, text) => console.error(`${name} ${text}`), onPids: () => {} });
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
