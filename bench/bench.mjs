// `npm run bench [-- NAME…]`: each benchmark of this folder against its peers in the same run; prints tables and writes bench/results.json.
import { cpus } from 'node:os';
import { join } from 'node:path';
import { progressOn } from '../scripts/lib/progress.mjs';
import { openRunFolder, removeRunFolder, RunServers } from '../scripts/lib/run-servers.mjs';
import { build, install, root } from '../scripts/lib/workspace.mjs';
import { writeWhole } from '../scripts/lib/write-whole.mjs';

/** @typedef {Record<string, string | number>} Row what was measured, by the name of its column */
/** @typedef {{ needsServers: boolean, load: () => Promise<() => Promise<Row | Row[] | Row[][]>> }} Benchmark rows of other columns are a table of their own */

/** @type {Record<string, Benchmark>} */
const BENCHMARKS = {
  parse: { needsServers: false, load: async () => (await import('./parse.mjs')).parse },
  pages: { needsServers: false, load: async () => (await import('./pages.mjs')).pages },
  throughput: { needsServers: false, load: async () => (await import('./throughput.mjs')).throughput },
  scale: { needsServers: false, load: async () => (await import('./scale.mjs')).scale },
  webhooks: { needsServers: true, load: async () => (await import('./webhooks.mjs')).webhooks },
};

const progress = progressOn(process.stderr);
/** @type {RunServers | undefined} */
let servers;

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
  if (names.some((name) => BENCHMARKS[name]?.needsServers)) {
    servers = new RunServers(openRunFolder(), progress);
    Object.assign(process.env, await servers.start());
  }
  /** @type {Record<string, Row[]>} */
  const benchmarks = {};
  for (const name of names) {
    const measure = await BENCHMARKS[name].load();
    const measured = [await progress.during(name, measure)].flat();
    const tables = Array.isArray(measured[0]) ? measured : [measured];
    for (const rows of tables) print(name, rows);
    benchmarks[name] = tables.flat();
  }
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
  writeWhole(join(root, 'bench', 'results.json'), { at: new Date().toISOString(), machine, benchmarks });
} finally {
  await cleanUp();
}

async function cleanUp() {
  await servers?.stop();
  if (servers) removeRunFolder(servers.folder);
}

/** @param {string} name @param {Row[]} rows */
function print(name, rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))];
  const widths = columns.map((_, n) => Math.max(...cells.map((line) => line[n]?.length ?? 0)));
  const isNumber = columns.map((column) => rows.some((row) => typeof row[column] === 'number'));
  console.log(`\n${name}\n`);
  for (const line of cells) console.log(line.map((cell, n) => (isNumber[n] ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0))).join('  '));
}
