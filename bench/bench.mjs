// `npm run bench [-- NAME…]`: each benchmark of this folder against its peers in the same run; prints tables and writes bench/results.json.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { recordProcesses } from '../scripts/lib/leftovers.mjs';
import { takeLock } from '../scripts/lib/lock.mjs';
import { progressOn } from '../scripts/lib/progress.mjs';
import { seedOf } from '../scripts/lib/seed.mjs';
import { provideServers } from '../scripts/lib/servers.mjs';
import { build, install, localDir, packagesDir, root } from '../scripts/lib/workspace.mjs';
import { readJson, writeWhole } from '../scripts/lib/write-whole.mjs';

/** @typedef {Record<string, string | number>} Row what was measured, by the name of its column */
/** @typedef {{ needsServers: boolean, load: () => Promise<() => Promise<Row | Row[]>> }} Benchmark */

/** @type {Record<string, Benchmark>} */
const BENCHMARKS = {
  parse: { needsServers: false, load: async () => (await import('./parse.mjs')).parse },
  throughput: { needsServers: false, load: async () => (await import('./throughput.mjs')).throughput },
  scale: { needsServers: false, load: async () => (await import('./scale.mjs')).scale },
  webhooks: { needsServers: true, load: async () => (await import('./webhooks.mjs')).webhooks },
};

const progress = progressOn(process.stderr);
/** @type {import('../scripts/lib/supervisor.mjs').Supervised[]} */
const servers = [];
/** @type {string | undefined} */
let dataDir;

const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : Object.keys(BENCHMARKS);
const unknown = names.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  process.stderr.write(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}\n`);
  process.exit(2);
}
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => void cleanUp().then(() => process.exit(130)));

try {
  await install(progress);
  await build(progress);
  if (names.some((name) => BENCHMARKS[name]?.needsServers)) Object.assign(process.env, await startServers());
  /** @type {Record<string, Row[]>} */
  const benchmarks = {};
  for (const name of names) {
    const measure = await BENCHMARKS[name].load();
    const rows = [await progress.during(name, measure)].flat();
    print(name, rows);
    benchmarks[name] = rows;
  }
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
  writeWhole(join(root, 'bench', 'results.json'), { at: new Date().toISOString(), machine, benchmarks });
} finally {
  await cleanUp();
}

/** PostgreSQL, NATS and Redis of this run's own, as `npm test` has them; a run that was killed is swept by the next `npm test`. */
async function startServers() {
  mkdirSync(localDir, { recursive: true, mode: 0o700 });
  const folder = (dataDir = mkdtempSync(join(localDir, 'test-')));
  takeLock(join(folder, 'start.lock'));
  const watcher = {
    onLine: () => {},
    onEvent: (/** @type {{ name: string }} */ { name }, /** @type {string} */ text) => progress.say(`${name}: ${text}`),
    onPids: () => recordProcesses(folder, servers),
  };
  const password = seedOf(folder).serverPassword;
  const { addresses } = await provideServers({ dataDir: folder, packagesDir, password, durable: false, progress, supervised: servers, watcher });
  return addresses;
}

async function cleanUp() {
  await Promise.all(servers.map((server) => server.stop(10_000)));
  const outside = dataDir && readJson(join(dataDir, 'postgres.json'))?.folder;
  for (const path of [outside, dataDir]) if (path) rmSync(path, { recursive: true, force: true });
}

/** @param {string} name @param {Row[]} rows */
function print(name, rows) {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))];
  const widths = columns.map((_, n) => Math.max(...cells.map((line) => line[n]?.length ?? 0)));
  const isNumber = columns.map((column) => typeof rows[0]?.[column] === 'number');
  console.log(`\n${name}\n`);
  for (const line of cells) console.log(line.map((cell, n) => (isNumber[n] ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0))).join('  '));
}
