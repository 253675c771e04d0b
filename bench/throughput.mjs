// Accepting, whole tasks and synchronous answers, beside what people glue together, on the same PostgreSQL and Redis in the same run.
import { setTimeout as sleep } from 'node:timers/promises';
import { client, load, pace, percentiles } from './lib/load.mjs';
import { startPeer } from './lib/peer.mjs';
import { startProduct } from './lib/product.mjs';
import { startUpstream } from './lib/upstream.mjs';

/** @typedef {import('./lib/load.mjs').Load} Load */

const payload = { prompt: 'What is the best travel mug?', country: 'US' };
const task = { taskType: 'CHATGPT', payload };
const ACCOUNTS = 50;
const FOR_GOOD_MS = 3_600_000;

/** What is measured, of whom, and the ratio that issue 10 asks for. */
export async function throughput() {
  const upstream = await startUpstream();
  const product = await startProduct({ ...upstream.env, QUEUE_MAX: '10000000' });
  try {
    const { headers } = await product.account();
    const api = client(product.baseUrl, headers);
    const accept = () => api.post('/v1/async/task', task);
    const endToEnd = async () => {
      const { taskId } = (await accept()).json;
      const { json } = await api.get(`/v1/async/task/${taskId}?wait=25s`);
      if (json.task.status !== 'COMPLETED') throw new Error(`a task is ${json.task.status}`);
    };
    const sync = () => api.post('/v1/monitor/chatgpt', payload);

    const ours = { sync: await load(sync), endToEnd: await load(endToEnd), acceptAndDo: await load(accept) };
    await drained(api);
    const latency = [await addedLatency(sync, 50, '8 median, 30 p99'), await addedLatency(sync, 300)];
    const bullmq = await startPeer('bullmq', product.redisUrl);
    const theirs = {
      sync: await load(() => bullmq.post('/sync', payload)),
      endToEnd: await load(async () => bullmq.get(`/jobs/${(await bullmq.post('/accept', payload)).json.taskId}`)),
      accept: await load(() => bullmq.post('/accept', payload)),
    };
    await bullmq.stop();
    const hops = await startPeer('hops', product.natsUrl, product.databaseUrl, upstream.env.OPENAI_BASE_URL);
    const hopsSync = await load(() => hops.post('/sync', payload));
    await hops.stop();
    const pgBoss = await startPeer('pg-boss', product.databaseUrl);
    const pgBossAccept = await load(() => pgBoss.post('/accept', payload));
    await pgBoss.stop();
    // Nobody takes pg-boss's jobs here. Of ours some wait for this, and the rest for them.
    upstream.take(FOR_GOOD_MS);
    const acceptAlone = await load(accept);
    const rows = [
      row('accept, nobody at work', acceptAlone, 'Fastify + pg-boss', pgBossAccept, 1.5),
      row('accept, and done meanwhile', ours.acceptAndDo, 'Fastify + BullMQ', theirs.accept),
      row('end to end', ours.endToEnd, 'Fastify + BullMQ', theirs.endToEnd, 1),
      row('sync', ours.sync, 'Fastify + BullMQ', theirs.sync, 0.6),
      row('sync, the hops alone', hopsSync, 'Fastify + BullMQ', theirs.sync),
      row('accept, one account', acceptAlone, `${ACCOUNTS} accounts`, await manyAccounts(product), 0.95),
      ...latency,
    ];
    await api.close();
    return rows;
  } finally {
    await product.stop();
    upstream.stop();
  }
}

/** Accepting from many accounts that share the load. @param {Awaited<ReturnType<typeof startProduct>>} product */
async function manyAccounts(product) {
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, async () => client(product.baseUrl, (await product.account()).headers, 1)));
  let turn = 0;
  const many = await load(() => accounts[turn++ % ACCOUNTS].post('/v1/async/task', task));
  await Promise.all(accounts.map((account) => account.close()));
  return many;
}

/** What a synchronous answer takes beyond its upstream, at so many a second. @param {() => Promise<{ headers: any }>} sync @param {number} perSecond @param {string} [wanted] */
async function addedLatency(sync, perSecond, wanted = '') {
  /** @type {number[]} */
  const added = [];
  await pace(
    async () => {
      const began = performance.now();
      const { headers } = await sync();
      added.push(performance.now() - began - Number(/upstream;dur=([\d.]+)/.exec(headers['server-timing'])?.[1]));
    },
    { perSecond, seconds: 10 },
  );
  const { p50, p99 } = percentiles(added);
  return { what: `sync at ${perSecond}/s: ms added to the upstream`, overheard: `${p50.toFixed(1)} median, ${p99.toFixed(1)} p99`, wanted };
}

/** Waits until nothing is outstanding. @param {ReturnType<typeof client>} api */
async function drained(api) {
  for (;;) {
    if ((await api.get('/v1/async/status')).json.outstandingTasks === 0) return;
    await sleep(500);
  }
}

/** @param {string} what @param {Load} ours @param {string} peer @param {Load} theirs @param {number} [wanted] */
function row(what, ours, peer, theirs, wanted) {
  return {
    what: `${what}, a second`,
    overheard: Math.round(ours.perSecond),
    peer,
    theirs: Math.round(theirs.perSecond),
    ratio: Math.round((ours.perSecond / theirs.perSecond) * 100) / 100,
    wanted: wanted ?? '',
    p50: Math.round(ours.p50),
    p99: Math.round(ours.p99),
  };
}
