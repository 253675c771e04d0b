import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes a file that only its owner may read, and lets nobody see half of it.
 * @param {string} path
 * @param {string | object} content text, or what becomes JSON
 */
export function writeWhole(path, content) {
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`;
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

/**
 * The JSON in a file; undefined where there is none, or none that can be read.
 * @param {string} path
 * @returns {any}
 */
export function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
