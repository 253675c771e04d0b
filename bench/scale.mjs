// What it takes when nothing happens, when ten thousand wait, when a million are queued, and when everything is traced.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { client, during, load, percentiles, WARM_UP_MS } from './lib/load.mjs';
import { startProduct } from './lib/product.mjs';
import { startUpstream } from './lib/upstream.mjs';
import { uuidv7 } from './lib/uuidv7.mjs';

/** @typedef {Awaited<ReturnType<typeof startProduct>>} Product */

const KIB_PER_MB = 1024;
const IDLE_MS = 60_000;
const IN_FLIGHT = 10_000;
const UPSTREAM_MS = 20_000;
/** The last one comes a second before the first is answered. */
const APART_MS = 1.9;
/** A hundred are done each second: of the first at least a thousand are left when the measurement ends. */
const BACKLOGS = [4000, 1_000_000];
const TURNS = 16;
const TURN_MS = 3000;
const task = { taskType: 'CHATGPT', payload: { prompt: 'What is the best travel mug?', country: 'US' } };

export async function scale() {
  return [...(await idle()), ...(await inFlight()), ...(await backlog()), await tracing()];
}

async function idle() {
  const product = await startProduct();
  try {
    await sleep(IDLE_MS);
    const pss = familyOf(product.supervisorPid).map(pssOf);
    return [
      { what: 'npm start until ready, built: s', overheard: (product.readyMs / 1000).toFixed(1), wanted: 12 },
      { what: 'npm start, idle: MB of all processes (PSS)', overheard: Math.round(pss.reduce((sum, kib) => sum + kib, 0) / KIB_PER_MB), wanted: 900 },
    ];
  } finally {
    await product.stop();
  }
}

async function inFlight() {
  const upstream = await startUpstream();
  const product = await startProduct({ ...upstream.env, WORKER_SLOTS: String(IN_FLIGHT) });
  try {
    const api = client(product.baseUrl, (await product.account()).headers, IN_FLIGHT);
    const ask = () => api.post('/v1/monitor/chatgpt', task.payload);
    await load(ask, { seconds: 1 });
    upstream.take(UPSTREAM_MS);
    /** @type {number[]} */
    const added = [];
    /** @type {Map<string, number>} */
    const failures = new Map();
    let [now, most] = [0, 0];
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, async (_, n) => {
        await sleep(n * APART_MS);
        const began = performance.now();
        most = Math.max(most, (now += 1));
        await ask().then(
          () => added.push(performance.now() - began - UPSTREAM_MS),
          ({ message }) => failures.set(message, (failures.get(message) ?? 0) + 1),
        );
        now -= 1;
      }),
    );
    const gateway = product.services.find((/** @type {{ name: string }} */ { name }) => name === 'gateway');
    const peakKib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]);
    await api.close();
    for (const [message, count] of failures) console.log(`${count} × ${message}`);
    const what = `${IN_FLIGHT} sync requests, ${most} in flight at most`;
    return [
      { what: `${what}: failed`, overheard: [...failures.values()].reduce((sum, count) => sum + count, 0), wanted: 0 },
      { what: `${what}: MB of the gateway at most`, overheard: Math.round(peakKib / KIB_PER_MB), wanted: 1200 },
      { what: `${what}: ms added, p99`, overheard: Math.round(percentiles(added).p99), wanted: 1000 },
    ];
  } finally {
    await product.stop();
    upstream.stop();
  }
}

/** The same questions with some thousand tasks outstanding and with a million. */
async function backlog() {
  const product = await startProduct({ QUEUE_MAX: '2000000' });
  try {
    const { accountId, headers } = await product.account();
    const api = client(product.baseUrl, headers);
    /** @type {{ accept: number, startMs: number, statusMs: number, readMs: number }[]} */
    const found = [];
    let queued = 0;
    for (const size of BACKLOGS) {
      await queue(product, accountId, size - queued);
      queued = size;
      /** @type {string[]} */
      const urgent = [];
      const accept = await load(async () => urgent.push((await api.post('/v1/async/task', { ...task, priority: 10 })).json.taskId), { seconds: 5 });
      const read = () => api.get(`/v1/async/task/${urgent[Math.floor(Math.random() * urgent.length)]}`);
      await until(async () => (await api.get(`/v1/async/task/${urgent.at(-1)}`)).json.task.status === 'COMPLETED');
      const starts = [];
      for (let n = 0; n < 40; n++) {
        const { taskId } = (await api.post('/v1/async/task', { ...task, priority: 10 })).json;
        const { json } = await api.get(`/v1/async/task/${taskId}?wait=25s`);
        starts.push(Date.parse(json.task.startedAt) - Date.parse(json.task.createdAt));
      }
      found.push({
        accept: accept.perSecond,
        startMs: percentiles(starts).p50,
        statusMs: await median(20, () => api.get('/v1/async/status')),
        readMs: await median(200, read),
      });
    }
    await api.close();
    const [few, many] = /** @type {[typeof found[0], typeof found[0]]} */ (found);
    return [
      {
        what: 'accepted a second, 1,000,000 outstanding against some thousand',
        overheard: Math.round(many.accept),
        theirs: Math.round(few.accept),
        ratio: round(few.accept / many.accept),
        wanted: 1.3,
      },
      {
        what: 'ms until a task starts, 1,000,000 outstanding against some thousand',
        overheard: many.startMs,
        theirs: few.startMs,
        ratio: round(many.startMs / few.startMs),
        wanted: 1.3,
      },
      { what: 'GET /v1/async/status, 1,000,000 outstanding: ms', overheard: round(many.statusMs), wanted: 50 },
      { what: 'a task read by id, 1,000,000 outstanding: ms', overheard: round(many.readMs), wanted: 5 },
    ];
  } finally {
    await product.stop();
  }
}

/** Queues tasks of the lowest priority as the gateway does, but many at a time: rows, holds and messages. @param {Product} product @param {string} accountId @param {number} count */
async function queue(product, accountId, count) {
  const { Bus, busConfig } = await import('../libs/bus/dist/index.js');
  const { workMessage } = await import('../libs/contracts/dist/index.js');
  const { createLogger } = await import('../libs/runtime/dist/index.js');
  const pg = createRequire(new URL('../libs/database/package.json', import.meta.url))('pg');
  const bus = await Bus.connect(busConfig.parse({ NATS_URL: product.natsUrl }), 'bench', createLogger('bench', 'fatal'));
  const database = new pg.Client({ connectionString: product.databaseUrl });
  await database.connect();
  const payload = { prompt: 'Queued #delay=1s', country: 'US' };
  for (let left = count; left > 0; left -= 10_000) {
    const size = Math.min(left, 10_000);
    const ids = Array.from({ length: size }, uuidv7);
    const message = { accountId, provider: 'CHATGPT', route: 'sandbox', payload, admittedAt: Date.now(), deadlineMs: 600_000 };
    const published = await Promise.all(ids.map((id) => bus.publish('work.CHATGPT.p01', workMessage, { ...message, id }, `${id}:1`)));
    await database.query(
      `with rows as (
         insert into requests (id, account_id, key_id, test, provider, mode, prompt, country, priority, payload, credits_to_charge, state, status_code, published_at, published_seq, publish_count)
         select id, $2, $2, false, 'CHATGPT', 'async', $3, 'US', 1, $4, 5, 'open', 202, now(), seq, 1 from unnest($1::uuid[], $6::bigint[]) as item (id, seq))
       update accounts set balance = balance - 5 * $5, reserved = reserved + 5 * $5, outstanding = outstanding + $5, outstanding_by_priority[1] = outstanding_by_priority[1] + $5 where id = $2`,
      [ids, accountId, payload.prompt, JSON.stringify(payload), size, published.map(({ seq }) => seq)],
    );
  }
  await database.query('vacuum analyze requests');
  await Promise.all([database.end(), bus.close()]);
}

/** Throughput with a tenth of all traces sampled and sent to a collector, against none: two products in turns, since from one minute to the next the machine changes by more than tracing costs. */
async function tracing() {
  const upstream = await startUpstream();
  const collector = createServer((request, response) => void request.resume().on('end', () => response.end()));
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (collector.address()).port}`;
  const sampled = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
  const without = { env: {}, perSecond: 0 };
  const traced = { env: sampled, perSecond: 0 };
  /** @type {Product[]} */
  const products = [];
  try {
    const both = [];
    for (const one of [without, traced]) {
      const product = await startProduct({ ...upstream.env, ...one.env });
      products.push(product);
      const api = client(product.baseUrl, (await product.account()).headers);
      const ask = () => api.post('/v1/monitor/chatgpt', task.payload);
      await during(ask, WARM_UP_MS);
      both.push({ one, ask });
    }
    for (let turn = 0; turn < TURNS; turn++) {
      for (const { one, ask } of turn % 2 === 0 ? both : both.toReversed()) one.perSecond += (await during(ask, TURN_MS)).perSecond / TURNS;
    }
  } finally {
    for (const product of products) await product.stop();
    upstream.stop();
    collector.close();
    collector.closeAllConnections();
  }
  return {
    what: 'sync a second, traced at 10 % against not',
    overheard: Math.round(traced.perSecond),
    theirs: Math.round(without.perSecond),
    ratio: round(traced.perSecond / without.perSecond),
    wanted: 0.9,
  };
}

/** @param {number} times @param {() => Promise<unknown>} work */
async function median(times, work) {
  const took = [];
  for (let n = 0; n < times; n++) {
    const began = performance.now();
    await work();
    took.push(performance.now() - began);
  }
  return percentiles(took).p50;
}

/** @param {() => Promise<boolean>} condition */
async function until(condition) {
  while (!(await condition())) await sleep(200);
}

const round = (/** @type {number} */ value) => Math.round(value * 100) / 100;

/** A process and all that descend from it. @param {number} pid @returns {number[]} */
function familyOf(pid) {
  const children = new Map();
  for (const one of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = Number(/\) \S (\d+)/.exec(readText(`/proc/${one}/stat`))?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(one)]);
  }
  const family = [pid];
  for (const one of family) family.push(...(children.get(one) ?? []));
  return family;
}

/** @param {number} pid KiB that are its own, and its share of what it has in common with others */
const pssOf = (pid) => Number(/^Pss:\s+(\d+)/m.exec(readText(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // The process has ended.
  }
}
