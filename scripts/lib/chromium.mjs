// Provides the browser that reads result pages: one that is installed, else Debian's, fetched without installing it.
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { debianPackage, libraryPath, onPath } from './packages.mjs';
import { writeWhole } from './write-whole.mjs';

/** @typedef {import('./progress.mjs').Progress} Progress */

/** The first has no windows, and takes a third of the time for a page. */
const PACKAGES = ['chromium-headless-shell', 'chromium'];
const INSTALLED = [...PACKAGES, 'chromium-browser'];

/**
 * The path of a Chromium, for BROWSER_EXECUTABLE; undefined where none can be had, and then the reason is said.
 * @param {string} packagesDir
 * @param {Progress} progress
 * @returns {Promise<string | undefined>}
 */
export async function chromium(packagesDir, progress) {
  const installed = INSTALLED.map(onPath).find(Boolean);
  if (installed) return installed;
  for (const name of PACKAGES) {
    try {
      const folder = await debianPackage(name, packagesDir, progress);
      if (!folder) return undefined;
      return launcher(folder, join(folder, 'usr', 'lib', 'chromium', name));
    } catch (error) {
      progress.say(`no ${name}: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
    }
  }
  return undefined;
}

/**
 * A program that starts the unpacked one with the libraries and fonts that were unpacked beside it.
 * @param {string} folder
 * @param {string} program
 */
function launcher(folder, program) {
  if (!existsSync(program)) throw new Error(`${program} is missing`);
  const path = join(folder, 'chromium.sh');
  const fonts = existsSync('/etc/fonts/fonts.conf') ? '' : `export FONTCONFIG_SYSROOT='${folder}'\n`;
  writeWhole(path, `#!/bin/sh\nexport LD_LIBRARY_PATH='${allLibraries(folder)}'\n${fonts}exec '${program}' "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

/** The folders of libraries, with those in which packages keep libraries of their own. @param {string} folder */
function allLibraries(folder) {
  const folders = libraryPath(folder).split(':');
  const inner = folders
    .filter((path) => path.startsWith(folder))
    .flatMap((path) => readdirSync(path, { withFileTypes: true }).map((entry) => ({ path: join(path, entry.name), isFolder: entry.isDirectory() })))
    .filter(({ path, isFolder }) => isFolder && readdirSync(path).some((name) => /^lib.*\.so/.test(name)))
    .map(({ path }) => path);
  return [...folders, ...inner].join(':');
}
