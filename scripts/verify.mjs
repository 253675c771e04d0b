// `npm run verify`: everything about the sources that can be judged without a server. Two steps at a time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { endRunning, run } from './lib/command.mjs';
import { onPath } from './lib/packages.mjs';
import { exitWith, progressOn, silently } from './lib/progress.mjs';
import { build, install, root } from './lib/workspace.mjs';

/** @typedef {{ name: string, work: () => Promise<unknown> }} Step */

const AT_ONCE = 2;
const TSC = 'node_modules/typescript7/bin/tsc';

const progress = progressOn(process.stdout);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(signal, () => {
    endRunning();
    process.exit(130);
  });
}

/** The slowest first, so that the others fit beside it. @type {Step[]} */
const steps = [
  { name: 'lint', work: () => node('node_modules/eslint/bin/eslint.js', '.') },
  { name: 'build', work: () => build(silently) },
  { name: 'types', work: () => node(TSC, '-p', 'tsconfig.test.json') },
  { name: 'types of pages', work: () => node(TSC, '-p', 'apps/dashboard/web/tsconfig.json') },
  { name: 'types of scripts', work: () => node(TSC, '-p', 'tsconfig.scripts.json') },
  { name: 'format', work: () => node('node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.') },
  {
    name: 'import boundaries',
    work: () => node('node_modules/dependency-cruiser/bin/dependency-cruise.mjs', '--config', '.dependency-cruiser.cjs', 'apps', 'libs', 'test'),
  },
  { name: 'dead code', work: () => node('node_modules/knip/bin/knip.js', '--no-config-hints') },
  { name: 'documents', work: () => node('scripts/check-docs.mjs') },
  { name: 'configuration', work: configuration },
  { name: 'API document', work: openapi },
  { name: 'containers', work: containers },
  { name: 'manifests', work: () => node('scripts/manifests.mjs') },
];

const startedAt = Date.now();
try {
  await install(progress);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
const failed = await runAll(steps);
progress.say('');
for (const { name, why } of failed) progress.say(`--- ${name} failed ---\n${why}\n`);
const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
progress.say(failed.length > 0 ? `failed: ${failed.map(({ name }) => name).join(', ')} (${seconds} s)` : `everything verified in ${seconds} s`);
exitWith(failed.length > 0 ? 1 : 0);

/** @param {Step[]} all */
async function runAll(all) {
  const waiting = [...all];
  /** @type {{ name: string, why: string }[]} */
  const faults = [];
  const lane = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const why = await judge(step);
      if (why !== undefined) faults.push({ name: step.name, why });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return faults;
}

/** @param {Step} step @returns {Promise<string | undefined>} why it failed */
async function judge({ name, work }) {
  const begun = Date.now();
  const why = await work().then(
    () => undefined,
    (error) => String(error.output ?? error.message),
  );
  progress.say(`${why === undefined ? 'ok  ' : 'FAIL'} ${name.padEnd(18)} ${((Date.now() - begun) / 1000).toFixed(1).padStart(5)} s`);
  return why;
}

/** @param {string[]} words */
function node(...words) {
  return run(process.execPath, words, { cwd: root });
}

/** docs/configuration.md is made from the configuration of the services and must say the same. */
async function configuration() {
  const script = 'scripts/configuration.mjs';
  if (!existsSync(join(root, script))) return;
  // It reads what the build has made.
  await build(silently);
  await node(script, '--check');
}

/** docs/api/openapi.json is made from the contracts, must say the same, and must please a linter. */
async function openapi() {
  // It reads what the build has made.
  await build(silently);
  await node('scripts/openapi.mjs', '--check');
}

/** docker-compose.yml, as far as a machine without an engine can tell; nothing where the program is not there either. */
async function containers() {
  if (!onPath('docker-compose')) return;
  const secrets = Object.fromEntries(['POSTGRES_PASSWORD', 'NATS_PASSWORD', 'REDIS_PASSWORD', 'ENCRYPTION_KEY'].map((name) => [name, 'x']));
  await run('docker-compose', ['--env-file', 'deploy/env.example', 'config', '--quiet'], {
    cwd: root,
    env: { ...process.env, ...secrets, ENV_FILE: 'deploy/env.example' },
  });
}
