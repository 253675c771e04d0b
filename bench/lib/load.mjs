// Load, from this process, on one address: both the product and its peers get it from here.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** @typedef {{ perSecond: number, count: number, p50: number, p99: number }} Load milliseconds each */

/** Posts and gets JSON; fails for anything but 2xx. @param {string} baseUrl @param {Record<string, string>} [headers] @param {number} [connections] */
export function client(baseUrl, headers = {}, connections = 50) {
  const pool = new Pool(baseUrl, { connections, headersTimeout: 0, bodyTimeout: 0 });
  /** @param {'GET' | 'POST'} method @param {string} path @param {object} [body] */
  const send = async (method, path, body) => {
    const {
      statusCode,
      body: answer,
      headers: answered,
    } = await pool.request({
      method,
      path,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${method} ${path} was answered ${statusCode}: ${text.slice(0, 200)}`);
    return { json: JSON.parse(text), headers: answered };
  };
  return {
    get: (/** @type {string} */ path) => send('GET', path),
    post: (/** @type {string} */ path, /** @type {object} */ body) => send('POST', path, body),
    close: () => pool.close(),
  };
}

/** So long it takes until V8 has compiled what a handful of processes do: they are then three times as fast as at their start. */
export const WARM_UP_MS = 12_000;

/**
 * Does one thing over and over, so many at once, for so long, after a warm-up.
 * @param {() => Promise<unknown>} once @param {{ atOnce?: number, seconds?: number }} [options] @returns {Promise<Load>}
 */
export async function load(once, { atOnce = 50, seconds = 8 } = {}) {
  await during(once, WARM_UP_MS, atOnce);
  return during(once, seconds * 1000, atOnce);
}

/** Does one thing so many times a second, whether the earlier ones are done or not. @param {() => Promise<unknown>} once @param {{ perSecond: number, seconds: number }} options */
export async function pace(once, { perSecond, seconds }) {
  /** @type {Promise<unknown>[]} */
  const all = [];
  for (let n = 0; n < perSecond * seconds; n++) {
    all.push(once());
    await sleep(1000 / perSecond);
  }
  return Promise.all(all);
}

/** Does one thing over and over, so many at once, for so long. @param {() => Promise<unknown>} once @param {number} ms @param {number} [atOnce] @returns {Promise<Load>} */
export async function during(once, ms, atOnce = 50) {
  /** @type {number[]} */
  const took = [];
  const from = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() - from < ms) {
        const began = performance.now();
        await once();
        took.push(performance.now() - began);
      }
    }),
  );
  const perSecond = took.length / ((performance.now() - from) / 1000);
  return { perSecond, count: took.length, ...percentiles(took) };
}

/** @param {number[]} values */
export function percentiles(values) {
  const sorted = values.toSorted((one, two) => one - two);
  const at = (/** @type {number} */ share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}
