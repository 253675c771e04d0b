// A document that names a file or a test which is not there fails: it would send its reader nowhere.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './lib/workspace.mjs';

const faults = documents().flatMap((path) => missingIn(path));
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

/** @returns {string[]} */
function documents() {
  const atRoot = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'deploy/kubernetes/README.md', 'test/chaos/README.md']
    .map((name) => join(root, name))
    .filter((path) => existsSync(path));
  return [...atRoot, ...markdownBelow(join(root, 'docs'))];
}

/** @param {string} folder @returns {string[]} */
function markdownBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownBelow(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** @param {string} path */
function missingIn(path) {
  // Examples in fences may name what a reader is about to make.
  const text = readFileSync(path, 'utf8').replace(/^ *```.*?^ *```/gms, '');
  const linked = linksIn(text).filter((target) => !existsSync(join(dirname(path), target)));
  const named = pathsIn(text).filter((target) => !existsSync(join(root, target)) && !existsSync(join(dirname(path), target)));
  const untested = testsIn(text).filter(({ file, title }) => !existsSync(join(root, file)) || !readFileSync(join(root, file), 'utf8').includes(title));
  return [...new Set([...linked, ...named, ...untested.map(({ file, title }) => `the test “${title}” of ${file}`)])].map(
    (target) => `${relative(root, path)} names ${target}, which does not exist`,
  );
}

/** Targets of links to files, without their anchors. @param {string} text */
function linksIn(text) {
  const targets = [...text.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map((match) => String(match[1]));
  const files = targets.filter((target) => !/^([a-z][a-z+.-]*:|#|\/)/i.test(target));
  return files.map((target) => decodeURI(target.replace(/[#?].*$/, ''))).filter(Boolean);
}

/** Words in backticks that begin with a folder of this repository; what is built or has a placeholder in it is left out. @param {string} text */
function pathsIn(text) {
  const words = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => String(match[1]).replace(/:\d+$/, ''));
  return words.filter((word) => /^(\.ci|apps|bench|deploy|docs|libs|scripts|test)\/[\w@./-]+$/.test(word) && !/(^|\/)(dist|node_modules)(\/|$)/.test(word));
}

/** Tests that are named by their file and, in quotes, by words of their title. @param {string} text */
function testsIn(text) {
  return [...text.matchAll(/`([^`\n]+\.test\.ts)`: “([^”\n]+)”/g)].map(([, file, title]) => ({ file: String(file), title: String(title) }));
}
