// Pages of Google: processor time from the HTML to the finished result, its growth with the page, and how much of a page is found.
// The peers do the same in the same run; `× bare` is against cheerio's parse alone. Wanted: × bare at most 1.3, growth 1, every page whole.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { load } from 'cheerio';
import { loadEngine } from '../libs/providers/dist/engines.js';
import { sandboxes, Steer } from '../libs/providers/dist/sandboxes.js';
import { root } from '../scripts/lib/workspace.mjs';
import { bestInTurn, round } from './lib/processor-time.mjs';
import { PEERS } from './peers/google-extractors.mjs';

/** @typedef {import('./peers/google-extractors.mjs').Device} Device */
/** @typedef {{ html: string, device: Device, truth?: any }} Page `truth` is what is to be found in it */

const SCORER = join(root, '../shared/check/pages/score.mjs');
const RECORDINGS = join(root, '../shared/check/pages/dev');
const SMALLEST_BYTES = 256 * 1024;
const GROWTH = [1, 4, 16];
/** The first of them is that of code which has yet to be compiled. */
const TURNS = 4;
const WORDS = '#ads #shopping #paa #news #places #videos';

export async function pages() {
  const { settings, create } = await loadEngine('GOOGLE');
  const engine = create(settings.parse({}));
  const ours = { extract: ({ html }) => engine.extract([{ name: 'page.html', text: html }], {}), asOutcome: (outcome) => outcome };
  const theirs = Object.entries(PEERS).map(([name, { extract, asResult }]) => {
    const asOutcome = (found) => found && { result: asResult(found), quality: { status: 'ok', checks: [] } };
    return [name, { extract: ({ html, device }) => unlessItThrows(() => extract(html, device)), asOutcome }];
  });
  const extractors = { overheard: ours, ...Object.fromEntries(theirs) };
  try {
    const recordings = existsSync(SCORER) ? recordedPages() : undefined;
    return [
      await cost(extractors, recordings ?? [await longPage(SMALLEST_BYTES)]),
      await growth(ours),
      recordings ? await accuracy(extractors, recordings) : [{ accuracy: 'left out: it needs the recordings of ../shared/check/pages' }],
    ];
  } finally {
    await engine.close();
  }
}

/** A page on which a peer throws is one in which it finds nothing. */
async function unlessItThrows(extract) {
  try {
    return await extract();
  } catch {
    return undefined;
  }
}

/** @param {Page[]} measured */
async function cost(extractors, measured) {
  const names = ['cheerio.load alone', ...Object.keys(extractors)];
  const works = [bare, ...Object.values(extractors).map(({ extract }) => extract)].map((work) => async () => {
    for (const page of measured) await work(page);
  });
  const times = await bestInTurn(works, TURNS);
  const bytes = measured.reduce((sum, { html }) => sum + Buffer.byteLength(html), 0);
  return names.map((name, index) => ({
    extractor: name,
    pages: measured.length,
    'KB a page': Math.round(bytes / measured.length / 1000),
    'ms a page': round(times[index] / measured.length),
    '× bare': round(times[index] / times[0]),
  }));
}

async function growth({ extract }) {
  const sizes = await Promise.all(GROWTH.map((times) => longPage(times * SMALLEST_BYTES)));
  const times = await bestInTurn(
    sizes.flatMap((page) => [() => extract(page), () => bare(page)]),
    TURNS,
  );
  const mib = sizes.map(({ html }) => Buffer.byteLength(html) / 2 ** 20);
  const perMib = mib.map((size, index) => times[2 * index] / size);
  return Promise.all(
    sizes.map(async (page, index) => ({
      size: `× ${GROWTH[index]}`,
      results: (await extract(page)).result.organicResults.length,
      MiB: round(mib[index]),
      'ms a MiB': round(perMib[index]),
      growth: index > 0 ? round(perMib[index] / perMib[index - 1]) : '',
      '× bare': round(times[2 * index] / times[2 * index + 1]),
    })),
  );
}

/** Points of a hundred for each era and device, counted by the scorer that the recordings come with. @param {Page[]} recordings */
async function accuracy(extractors, recordings) {
  const { compare, pageScore } = await import(SCORER);
  const scored = [];
  for (const page of recordings) {
    const points = {};
    for (const [name, { extract, asOutcome }] of Object.entries(extractors)) {
      points[name] = 100 * pageScore(compare(page.truth, asOutcome(await extract(page))).fields);
    }
    scored.push({ row: page.truth.row, points });
  }
  const rows = [...new Set(scored.map(({ row }) => row))].sort();
  return [...rows, 'all'].map((row) => {
    const among = scored.filter((page) => row === 'all' || page.row === row);
    const mean = (name) => round(among.reduce((sum, { points }) => sum + points[name], 0) / among.length);
    return { 'era and device': row, pages: among.length, ...Object.fromEntries(Object.keys(extractors).map((name) => [name, mean(name)])) };
  });
}

/** The peer that nobody can do without. @param {Page} page */
const bare = ({ html }) => load(html);

/** The recordings that show results of a web search, which is all that the peers read. @returns {Page[]} */
function recordedPages() {
  return readdirSync(join(RECORDINGS, 'truth'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.truth.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(RECORDINGS, 'truth', file), 'utf8')))
    .filter(({ provider, expect, noResults }) => provider === 'GOOGLE' && expect === 'result' && !noResults)
    .map((truth) => ({
      truth,
      html: gunzipSync(readFileSync(join(RECORDINGS, 'data', `${truth.file}.gz`))).toString(),
      device: ['mobile', 'no-JS'].find((device) => truth.row.startsWith(device)) ?? 'desktop',
    }));
}

/** A page of the sandbox with everything on it. @param {number} number @returns {Promise<Page>} */
async function sandboxPage(number) {
  const sandbox = await sandboxes.GOOGLE();
  const prompt = `quiet pumps ${number} ${WORDS}`;
  const call = { method: 'GET', url: `/search?q=${encodeURIComponent(prompt)}&gl=de`, headers: {}, body: '', signal: new AbortController().signal };
  const { body } = await sandbox.answer(call, sandbox.note(call), new Steer().next('GOOGLE', prompt));
  return { html: [...body].join(''), device: 'desktop' };
}

/** The first page of the sandbox with the results of as many others in its list as make it so long. @param {number} bytes @returns {Promise<Page>} */
async function longPage(bytes) {
  const list = /(?<=id="rso">).*(?=<\/div><\/div><div id="botstuff">)/s;
  const { html } = await sandboxPage(1);
  let results = '';
  for (let number = 2; html.length + results.length < bytes; number += 1) results += list.exec((await sandboxPage(number)).html)[0];
  return { html: html.replace(list, (own) => own + results), device: 'desktop' };
}
