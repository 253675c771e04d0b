// `npm test`: installs, builds, provides servers of its own, runs jest, and leaves nothing behind. Arguments go to jest.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { chromium } from './lib/chromium.mjs';
import { endRunning } from './lib/command.mjs';
import { exitWith, outliveReaders, progressOn } from './lib/progress.mjs';
import { openRunFolder, removeRunFolder, RunServers, sweepEarlierRuns } from './lib/run-servers.mjs';
import { build, install, packagesDir, root } from './lib/workspace.mjs';
import { readJson } from './lib/write-whole.mjs';

const JEST_END_MS = 15_000;

const progress = progressOn(process.stdout);
/** @type {RunServers | undefined} */
let servers;
/** @type {import('node:child_process').ChildProcess | undefined} */
let jest;
/** @type {NodeJS.Signals | undefined} */
let interrupted;

outliveReaders();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    interrupted ??= signal;
    endRunning();
    jest?.kill('SIGTERM');
  });
}

let outcome = { passed: 0, failed: 1, status: 1 };
try {
  outcome = await test();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
} finally {
  await servers?.stop();
  if (servers) removeRunFolder(servers.folder);
}
if (interrupted) progress.say(`ended by ${interrupted}`);
progress.say(`${outcome.passed} passed, ${outcome.failed} failed`);
exitWith(interrupted ? 130 : outcome.status);

async function test() {
  await install(progress);
  await build(progress);
  await sweepEarlierRuns();
  const run = (servers = new RunServers(openRunFolder(), progress));
  const addresses = await progress.during('starting PostgreSQL, NATS and Redis', () => run.start());
  if (interrupted) throw new Error('interrupted');
  const countsFile = join(run.folder, 'counts.json');
  const browser = await chromium(packagesDir, progress);
  const code = await runJest({ ...process.env, ...addresses, ...(browser ? { BROWSER_EXECUTABLE: browser } : {}), TEST_COUNTS_FILE: countsFile }, countsFile);
  return judge(run.hadDeadlocks() ? code || 1 : code, readJson(countsFile));
}

/**
 * What jest's exit and counts come to. No counts or no tests at all are a failure, and so is a bad exit with nothing counted as failed.
 * @param {number} code
 * @param {{ passed: number, failed: number } | undefined} counts
 */
function judge(code, counts) {
  const { passed, failed } = counts ?? { passed: 0, failed: 1 };
  const status = code !== 0 || failed > 0 || passed === 0 || interrupted ? code || 1 : 0;
  return { passed, failed: status !== 0 && failed === 0 ? 1 : failed, status };
}

/** @param {NodeJS.ProcessEnv} env @param {string} countsFile @returns {Promise<number>} */
async function runJest(env, countsFile) {
  const nodeOptions = [process.env.NODE_OPTIONS, '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'].filter(Boolean).join(' ');
  const words = ['node_modules/jest/bin/jest.js', ...process.argv.slice(2)];
  const child = (jest = spawn(process.execPath, words, { cwd: root, env: { ...env, NODE_OPTIONS: nodeOptions }, stdio: 'inherit' }));
  let countedAt = 0;
  const watch = setInterval(() => {
    if (countedAt === 0 && readJson(countsFile)) countedAt = Date.now();
    if (countedAt === 0 || Date.now() - countedAt < JEST_END_MS) return;
    clearInterval(watch);
    progress.say('jest does not end by itself: something is still open (try --detectOpenHandles). Ended it.');
    child.kill('SIGKILL');
  }, 500);
  const code = await new Promise((resolve) => child.once('exit', (status) => resolve(status ?? 1)));
  clearInterval(watch);
  return code;
}
