// Installs and builds this checkout, when that is due.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './command.mjs';
import { withLock } from './lock.mjs';
import { bundlePrograms, programPath } from './programs.mjs';
import { writeWhole } from './write-whole.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** What is ours and no part of the product: data of `npm start`, fetched programs, locks. */
export const localDir = join(root, '.local');
export const packagesDir = join(localDir, 'packages');

const STAMPS = join(root, 'node_modules', '.overheard');

/** Installs the packages unless those of the lockfile are there. @param {Progress} progress */
export async function install(progress) {
  requireNode();
  if (isStamped('install', manifestsHash())) return;
  await alone(async () => {
    const hash = manifestsHash();
    if (isStamped('install', hash)) return;
    const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    // CI keeps pnpm from asking questions.
    await progress.during('installing packages', () =>
      run('npx', ['-y', packageManager, 'install', '--frozen-lockfile'], { cwd: root, env: { ...process.env, CI: '1' } }),
    );
    stamp('install', hash);
  });
}

/** Older ones lack what the code relies on, and say so only by strange errors. */
function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) throw new Error(`Node.js 20.19 or newer is needed; this is ${process.version}.`);
}

/** Builds what has changed. @param {Progress} progress */
export async function build(progress) {
  if (isBuilt()) return;
  await alone(async () => {
    if (isBuilt()) return;
    const sources = sourcesHash();
    const pages = packagesWithPages();
    if (!isStamped('build', sources) || !hasOutput()) {
      await progress.during('building', async () => {
        await run(process.execPath, ['node_modules/typescript7/bin/tsc', '-b'], { cwd: root });
        await bundlePrograms(root);
      });
      stamp('build', sources);
    }
    for (const folder of pages) {
      const hash = pagesHash(folder);
      if (isStamped(stampOf(folder), hash)) continue;
      await progress.during(`building ${relative(root, folder)}`, () => run('npm', ['run', '--silent', 'build'], { cwd: folder }));
      stamp(stampOf(folder), hash);
    }
  });
}

function isBuilt() {
  return hasOutput() && isStamped('build', sourcesHash()) && packagesWithPages().every((folder) => isStamped(stampOf(folder), pagesHash(folder)));
}

/** Whether every package that the compiler builds has been built; a stamp alone would not tell that somebody removed the output. */
function hasOutput() {
  /** @type {{ references: { path: string }[] }} */
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  return references.every(({ path }) => existsSync(join(root, path, 'dist'))) && existsSync(programPath(root, 'cli'));
}

/** Every package of the workspace. */
function packageFolders() {
  return ['apps', 'libs']
    .flatMap((parent) => {
      const folder = join(root, parent);
      return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
    })
    .filter((folder) => existsSync(join(folder, 'package.json')));
}

/** Packages with something to build besides their TypeScript say so by a script named build. */
function packagesWithPages() {
  return packageFolders().filter((folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).scripts?.build !== undefined);
}

function manifestsHash() {
  const hash = createHash('sha256').update(process.version);
  for (const path of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((name) => join(root, name))) hash.update(readFileSync(path));
  for (const folder of packageFolders()) hash.update(folder).update(readFileSync(join(folder, 'package.json')));
  return hash.digest('hex');
}

function sourcesHash() {
  const files = ['tsconfig.base.json', 'tsconfig.json', 'pnpm-lock.yaml', 'scripts/lib/programs.mjs'].map((name) => join(root, name));
  for (const folder of packageFolders()) files.push(...filesBelow(folder, ['web', 'test', 'fixtures']));
  return statsHash(files.filter((file) => !file.endsWith('.test.ts')));
}

/** What pages are made of: of their server only what they share with it. @param {string} folder */
const pagesHash = (folder) => statsHash([...filesBelow(folder, ['src', 'test']), join(folder, 'src', 'api.ts'), join(root, 'pnpm-lock.yaml')]);

/** @param {string} folder @param {string[]} leftOut @returns {string[]} */
function filesBelow(folder, leftOut) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist' || leftOut.includes(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path, leftOut) : [path];
  });
}

/** @param {string[]} files */
function statsHash(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const found = statSync(file, { throwIfNoEntry: false });
    hash.update(`${file}:${found?.mtimeMs}:${found?.size}\n`);
  }
  return hash.digest('hex');
}

/** @param {string} folder */
const stampOf = (folder) => `build-${relative(root, folder).replaceAll('/', '-')}`;

/** @param {string} name @param {string} hash */
function isStamped(name, hash) {
  const path = join(STAMPS, name);
  return existsSync(path) && readFileSync(path, 'utf8') === hash;
}

/** @param {string} name @param {string} hash */
function stamp(name, hash) {
  mkdirSync(STAMPS, { recursive: true });
  writeWhole(join(STAMPS, name), hash);
}

/** Two starts in one checkout must not install or build over each other. @param {() => Promise<void>} work */
function alone(work) {
  mkdirSync(localDir, { recursive: true, mode: 0o700 });
  return withLock(join(localDir, 'workspace.lock'), work);
}
