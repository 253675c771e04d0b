// `npm run chaos [-- --only NAME] [--seed N]`: harms everything that can be harmed, and shows that nothing is lost and nothing charged twice.
// NAME is a file of test/chaos, or words of a test's name. A whole run writes test/chaos/RESULTS.md.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exitWith, outliveReaders, progressOn } from './lib/progress.mjs';
import { openRunFolder, removeRunFolder, RunServers } from './lib/run-servers.mjs';
import { build, install, root } from './lib/workspace.mjs';
import { readJson, writeWhole } from './lib/write-whole.mjs';

/** @typedef {{ test: string, what: string, value: string }} Figure */
/** @typedef {{ fullName: string, status: 'passed' | 'failed' | 'pending' | 'todo', duration?: number | null }} Assertion */
/** @typedef {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, testResults: { name: string, status: string, message: string, assertionResults: Assertion[] }[] }} Results */

const DEFAULT_SEED = 20_260_131;

const USAGE = 'usage: npm run chaos [-- [--only FILE|"WORDS OF A TEST\'S NAME"] [--seed N]]';

const options = optionsOf(process.argv.slice(2));
const progress = progressOn(process.stdout);
/** @type {import('node:child_process').ChildProcess | undefined} */
let jest;
const folder = openRunFolder();
// For the tests that harm the services alone; whoever harms a server has one of its own (test/own-servers.ts).
const servers = new RunServers(folder, progress);

outliveReaders();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => jest?.kill('SIGTERM'));

let status = 1;
let [passed, failed] = [0, 1];
const startedAt = Date.now();
try {
  await install(progress);
  await build(progress);
  progress.say(`seed ${options.seed}`);
  const code = await runJest(await servers.start());
  /** @type {Results | undefined} */
  const results = readJson(join(folder, 'results.json'));
  if (results) {
    passed = results.numPassedTests;
    failed = results.numFailedTests + results.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
    if (passed + failed === 0) {
      failed = 1;
      throw new Error(`No test ran: no file and no test's name is like "${options.only ?? ''}". test/chaos/RESULTS.md lists them.`);
    }
    if (servers.hadDeadlocks()) failed += 1;
    const report = reportOf(results);
    if (options.only === undefined) writeWhole(join(root, 'test', 'chaos', 'RESULTS.md'), report);
    progress.say(`\n${report}`);
  }
  status = code !== 0 || failed > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
} finally {
  await servers.stop();
  removeRunFolder(folder);
}
progress.say(`${passed} passed, ${failed} failed`);
exitWith(status);

/** @param {string[]} args */
function optionsOf(args) {
  try {
    const { values } = parseArgs({ args, options: { only: { type: 'string' }, seed: { type: 'string', default: String(DEFAULT_SEED) } } });
    if (!/^\d{1,9}$/.test(values.seed)) throw new Error(`--seed must be a number of up to nine digits, not ${values.seed}`);
    return values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${USAGE}\n`);
    process.exit(2);
  }
}

/** @param {Record<string, string>} addresses @returns {Promise<number>} */
function runJest(addresses) {
  const { only, seed } = options;
  const isFile = only !== undefined && existsSync(join(root, 'test', 'chaos', `${only}.test.ts`));
  const selection = only === undefined ? [] : isFile ? ['--testPathPatterns', `/${only}.test.ts`] : ['--testNamePattern', only];
  const env = {
    ...process.env,
    ...addresses,
    CHAOS: '1',
    CHAOS_SEED: seed,
    CHAOS_FIGURES_FILE: join(folder, 'figures'),
    FUZZ_SEED: seed,
    FUZZ_REQUESTS: '10000',
    FAST_CHECK_SEED: seed,
    MONEY_RUNS: '500',
    TEST_COUNTS_FILE: join(folder, 'counts.json'),
    NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
  };
  const words = [
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    'chaos',
    '--runInBand',
    // After a test that could not clean up something may be left open, which is nothing to wait for.
    '--forceExit',
    '--json',
    '--outputFile',
    join(folder, 'results.json'),
    ...selection,
  ];
  // The results in JSON also go to its standard output.
  const child = (jest = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] }));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** @param {Results} results */
function reportOf({ testResults }) {
  const path = join(folder, 'figures');
  /** @type {Figure[]} */
  const figures = existsSync(path)
    ? readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
  const words = { passed: 'holds', failed: '**fails**', pending: 'skipped', todo: 'skipped' };
  const tests = testResults
    .flatMap(({ name, assertionResults }) =>
      assertionResults.map((assertion) => ({ file: name.slice(name.lastIndexOf('/') + 1, -'.test.ts'.length), ...assertion })),
    )
    .filter(({ status: outcome }) => options.only === undefined || outcome !== 'pending');
  const row = (/** @type {typeof tests[number]} */ { file, fullName, status: outcome, duration }) => {
    const own = figures.filter(({ test }) => test === fullName).map(({ what, value }) => `${what}: ${value}`);
    return `| ${file} | ${fullName.replaceAll('|', '\\|')} | ${words[outcome]} | ${own.join('; ')} | ${((duration ?? 0) / 1000).toFixed(1)} |`;
  };
  const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { cwd: root, encoding: 'utf8' }).trim();
  return `\
# What \`npm run chaos\` found

Written by the run. ${new Date().toISOString().slice(0, 10)}, commit ${commit}, seed ${options.seed}, ${minutes} minutes on ${cpus().length} cores
(${cpus()[0]?.model}), Node ${process.version}. ${passed} passed, ${failed} failed.

| file | what holds | | figures | s |
| --- | --- | --- | --- | ---: |
${tests
  .sort((one, two) => one.file.localeCompare(two.file))
  .map(row)
  .join('\n')}
`;
}
