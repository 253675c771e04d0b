// The checks from outside that this state of the product has to pass: acceptance sections, single acceptance checks, extraction scores.
// `node .ci/checks.mjs FOLDER` reads the lists beside this file and prints `N passed, N failed` as its last line.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const checks = process.argv[2] ?? '../shared/check';
const drafts = mkdtempSync(join(tmpdir(), 'checks-'));

/** @type {{ name: string, ok: boolean, why: string }[]} */
const results = [];
try {
  results.push(...acceptance(), ...extraction());
} finally {
  rmSync(drafts, { recursive: true, force: true });
}
const failures = results.filter(({ ok }) => !ok);
for (const { name, why } of failures) console.log(`FAIL ${name}: ${why}`);
console.log(`${results.length - failures.length} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 ? 1 : 0;

/** All checks of the listed sections, and of other sections the listed checks; in one run of the product. */
function acceptance() {
  const sections = linesOf('acceptance-sections');
  const single = linesOf('acceptance-checks').map((line) => line.split('\t'));
  const names = [...new Set([...sections, ...single.map(([section]) => String(section))])];
  if (names.length === 0) return [];
  const found = acceptanceRows(names);
  const wanted = single.filter(([section]) => !sections.includes(String(section)));
  return [
    ...sections.flatMap((section) => judge(section, found, (row) => row.section === section)),
    ...wanted.flatMap(([section, id]) => judge(`${section} ${id}`, found, (row) => row.section === section && row.id === id)),
  ];
}

/**
 * What the checks of these sections found. Some of them measure time, which a busy machine has little of: sections with a
 * failure are run once more, and what failed both times has failed. `answers` judges those of all other sections.
 * @param {string[]} sections @returns {Row[]}
 */
function acceptanceRows(sections) {
  const rowsOf = (/** @type {string[]} */ names) => reportOf('acceptance/acceptance.mjs', ['--only', names.join(',')])?.checks ?? [];
  /** @type {Row[]} */
  const first = rowsOf(sections);
  const shaky = [...new Set(first.filter(({ ok }) => !ok).map(({ section }) => section))];
  if (shaky.length === 0) return first;
  const again = shaky.includes('answers') ? sections : shaky;
  console.log(`once more: ${again.join(', ')}`);
  /** @type {Row[]} */
  const second = rowsOf(again);
  const isSame = (/** @type {Row} */ one) => (/** @type {Row} */ other) => one.section === other.section && one.sentence === other.sentence;
  return first.map((row) => (row.ok ? row : (second.find(isSame(row)) ?? row)));
}

/** @typedef {{ section: string, id: string, sentence: string, ok: boolean, why?: string }} Row */

/** What was listed and not run has failed. @param {string} name @param {Row[]} rows @param {(row: Row) => boolean} isMeant */
function judge(name, rows, isMeant) {
  const meant = rows.filter(isMeant);
  if (meant.length === 0) return [{ name, ok: false, why: 'no such check was run' }];
  return meant.map(({ section, id, sentence, ok, why = '' }) => ({ name: `${section} ${id} ${sentence}`, ok, why }));
}

/** A format's mean score in percent, against its minimum; `pages` stands for the stored result pages, `pages:TEXT` for those with TEXT in their name. */
function extraction() {
  return linesOf('extraction-formats').map((line) => {
    const [format, minimum] = line.split('\t');
    const [, text] = /^pages(?::(.*))?$/.exec(String(format)) ?? [];
    const isPages = /^pages(:|$)/.test(String(format));
    const rows = isPages ? reportOf('pages/score.mjs', text ? ['--only', text] : []) : reportOf('extraction/score.mjs', ['--format', String(format)]);
    const score =
      rows?.length > 0 ? (100 * rows.reduce((/** @type {number} */ sum, /** @type {{ score: number }} */ row) => sum + row.score, 0)) / rows.length : 0;
    return { name: `extraction ${format}`, ok: score >= Number(minimum), why: `score ${score.toFixed(1)}, at least ${minimum} is due` };
  });
}

/** What a checking program writes to its JSON file. @param {string} program @param {string[]} words */
function reportOf(program, words) {
  const path = join(drafts, 'report.json');
  rmSync(path, { force: true });
  spawnSync(process.execPath, [join(checks, program), '--repo', '.', ...words, '--json', path], { stdio: 'inherit' });
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} name */
function linesOf(name) {
  return readFileSync(join(here, name), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
}
