// Deliveries a second of the real dispatcher, from being due to the log, as a ratio to a bare undici loop that posts the same signed bodies to the
// same receiver in the same run; and how fast settled events become deliveries. Needs a build, and servers in DATABASE_URL and NATS_URL: npm run
// bench provides both.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { choosePorts } from '../scripts/lib/ports.mjs';
import { programPath } from '../scripts/lib/programs.mjs';
import { uuidv7 } from './lib/uuidv7.mjs';

const root = join(import.meta.dirname, '..');
const SELF = fileURLToPath(import.meta.url);
const WARM_UP = 6000;
const DELIVERIES = 10_000;
const ACCOUNTS = 40;
const RECEIVERS_PER_ACCOUNT = 5;
const RESPONSE_BYTES = 8 * 1024;
/** As many as the dispatcher may have under way to these receivers. */
const LOOPS = ACCOUNTS * RECEIVERS_PER_ACCOUNT * 5;
const RATIO_MIN = 0.4;
const WITHIN_MS = 300_000;
const DUE_IN_MS = 2000;

/** @returns {Promise<{ name: string, dispatcherPerSecond: number, undiciPerSecond: number, madePerSecond: number, ratio: number, wanted: number, deliveries: number, logged: number, verified: number }>} */
export async function webhooks() {
  const { createTestBus, createTestDatabase } = await import('../libs/testing/dist/index.js');
  const { createAccount, enableSigning } = await import('../libs/database/dist/index.js');
  const [databases, streams, receiver] = [await createTestDatabase(), await createTestBus(), await startReceiver()];
  const { database } = databases;
  const encryptionKey = randomBytes(32);
  const dispatcher = await startDispatcher({
    ...databases.settings,
    ...streams.settings,
    ENCRYPTION_KEY: encryptionKey.toString('base64'),
    WEBHOOK_ALLOWED_HOSTS: receiver.host,
  });
  try {
    await dispatcher.ready();
    /** @type {Map<string, string>} */
    const secrets = new Map();
    for (let count = 0; count < ACCOUNTS; count++) {
      const { accountId } = await createAccount(database, { name: `bench ${count}` });
      secrets.set(accountId, (await enableSigning(database, encryptionKey, accountId)).secret ?? '');
    }
    // The first deliveries open connections and compile functions; the same goes for the first posts.
    await deliver({ database, bus: streams.bus, accounts: [...secrets.keys()], receiver, count: WARM_UP });
    const run = await deliver({ database, bus: streams.bus, accounts: [...secrets.keys()], receiver, count: DELIVERIES });
    const postings = await signedBodies(database, run.ids, secrets);
    // No post of ours competes with the dispatcher, and none of its with ours.
    await dispatcher.stop();
    await post(postings.slice(0, WARM_UP));
    const undiciPerSecond = await post(postings);
    const ratio = run.sentPerSecond / undiciPerSecond;
    return {
      name: 'webhooks',
      dispatcherPerSecond: Math.round(run.sentPerSecond),
      undiciPerSecond: Math.round(undiciPerSecond),
      madePerSecond: Math.round(run.madePerSecond),
      ratio: Math.round(ratio * 100) / 100,
      wanted: RATIO_MIN,
      deliveries: DELIVERIES,
      logged: run.logged,
      verified: await receiver.verified(postings),
    };
  } finally {
    await dispatcher.stop();
    receiver.stop();
    await streams.remove();
    await databases.drop();
  }
}

/** Settles tasks that are due later, announces them all until each has its delivery; then lets them be due, and waits until the last one is in the log. */
async function deliver({ database, bus, accounts, receiver, count }) {
  const { sql } = await import('kysely');
  const { SUBJECTS } = await import('../libs/bus/dist/index.js');
  const { settledEvent } = await import('../libs/contracts/dist/index.js');
  const tasks = Array.from({ length: count }, (_, index) => ({
    id: uuidv7(),
    accountId: accounts[index % ACCOUNTS],
    url: `${receiver.url}/${Math.floor(index / ACCOUNTS) % RECEIVERS_PER_ACCOUNT}?task=${index}`,
  }));
  await settle(database, tasks);
  const announcedAt = performance.now();
  await eachAtOnce(tasks, 200, ({ id }) => bus.publish(SUBJECTS.settled, settledEvent, { id }, `settled:${id}`));
  await until(`${count} deliveries made`, async () => (await waiting(database)) >= count);
  const madePerSecond = count / ((performance.now() - announcedAt) / 1000);

  const before = await inLog(database);
  await sql`update deliveries set due_at = now() + ${DUE_IN_MS} * interval '1 millisecond' where status = 'pending'`.execute(database);
  const dueAt = performance.now() + DUE_IN_MS;
  await until(`${count} deliveries in the log`, async () => (await inLog(database)) - before >= count);
  const sentPerSecond = count / ((performance.now() - dueAt) / 1000);
  return { ids: tasks.map(({ id }) => id), logged: (await inLog(database)) - before, madePerSecond, sentPerSecond };
}

async function until(what, holds) {
  for (const end = Date.now() + WITHIN_MS; !(await holds()); await sleep(100)) {
    if (Date.now() > end) throw new Error(`expected ${what} within ${WITHIN_MS / 1000} s`);
  }
}

/** How many deliveries are still to be sent. */
async function waiting(database) {
  const { count } = await database
    .selectFrom('deliveries')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** How many attempts the log holds that were acknowledged. */
async function inLog(database) {
  const { logged } = await database
    .selectFrom('delivery_attempts')
    .select(({ fn }) => fn.countAll().as('logged'))
    .where('status_code', '=', 200)
    .where('duration_ms', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(logged);
}

/** As gateway and task-store leave what is over and paid for. */
async function settle(database, tasks) {
  const response = JSON.stringify({ text: 'Größe 漢字 '.repeat(RESPONSE_BYTES / 16) });
  const now = new Date();
  // Deliveries are due since completion.
  const later = new Date(now.getTime() + 3_600_000);
  for (let from = 0; from < tasks.length; from += 500) {
    const some = tasks.slice(from, from + 500);
    await database
      .insertInto('requests')
      .values(
        some.map(({ id, accountId, url }) => ({
          id,
          account_id: accountId,
          key_id: accountId,
          test: false,
          provider: 'BENCH',
          mode: 'async',
          payload: '{}',
          webhook_url: url,
          credits_to_charge: 3,
          credits_charged: 3,
          state: 'settled',
          status_code: 200,
          completed_at: later,
        })),
      )
      .execute();
    await database
      .insertInto('tasks')
      .values(
        some.map(({ id, accountId }) => ({
          id,
          account_id: accountId,
          provider: 'BENCH',
          status: 'COMPLETED',
          claims: 1,
          attempts: 1,
          started_at: now,
          completed_at: later,
          expires_at: new Date(later.getTime() + 3_600_000),
          charge: true,
          status_code: 200,
          route: 'live',
          response,
        })),
      )
      .execute();
  }
}

/** What the dispatcher has sent, signed beforehand, so that the bare loop does nothing but post. */
async function signedBodies(database, ids, secrets) {
  const { signatureHeaders } = await import('../apps/webhook-dispatcher/dist/signature.js');
  const rows = await database.selectFrom('deliveries').select(['task_id', 'account_id', 'url', 'body']).where('task_id', 'in', ids).execute();
  const timestamp = Math.floor(Date.now() / 1000);
  return rows.map(({ task_id: taskId, account_id: accountId, url, body }) => {
    const signed = signatureHeaders({ taskId, attempt: 1, body, secret: secrets.get(accountId), timestamp });
    return { url, body, headers: { 'content-type': 'application/json', ...signed } };
  });
}

/** Posts them all as fast as undici does. Gives how many a second. */
async function post(postings) {
  const { Agent, request } = await import('undici');
  const dispatcher = new Agent({ connections: LOOPS });
  const startedAt = performance.now();
  await eachAtOnce(postings, LOOPS, async ({ url, headers, body }) => {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
  });
  const perSecond = postings.length / ((performance.now() - startedAt) / 1000);
  await dispatcher.close();
  return perSecond;
}

async function eachAtOnce(items, most, work) {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: most }, async () => {
      for (const item of waiting) await work(item);
    }),
  );
}

/** A receiver in a process of its own, that says 200 and counts. */
async function startReceiver() {
  const child = spawn(process.execPath, [SELF, 'receive'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [port] = await once(child, 'message');
  const host = `127.0.0.1:${port}`;
  return {
    host,
    url: `http://${host}/hook`,
    /** How many of these the receiver has had twice with the same bytes: from the dispatcher and from the loop. */
    async verified(postings) {
      const counts = await (await fetch(`http://${host}/`)).json();
      return postings.filter(({ url }) => counts[new URL(url).search] >= 2).length;
    },
    stop: () => child.kill(),
  };
}

function receive() {
  const counts = {};
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify(counts));
    const { search } = new URL(request.url ?? '', 'http://receiver');
    request.resume().on('end', () => {
      counts[search] = (counts[search] ?? 0) + 1;
      response.writeHead(200).end();
    });
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => process.send?.(server.address().port));
}

async function startDispatcher(settings) {
  const { health } = await choosePorts(['health'], {});
  const env = { PATH: process.env.PATH, PARENT_STDIN: '1', HEALTH_PORT: String(health), ...strings(settings) };
  const child = spawn(process.execPath, [programPath(root, 'webhook-dispatcher')], { cwd: root, env, stdio: ['pipe', 'ignore', 'inherit'] });
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  return {
    async ready() {
      const isReady = () =>
        fetch(`http://127.0.0.1:${health}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      for (const end = Date.now() + 60_000; !(await isReady()); await sleep(100)) {
        if (isOver() || Date.now() > end) throw new Error('the dispatcher does not start');
      }
    },
    async stop() {
      if (isOver()) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

const strings = (settings) => Object.fromEntries(Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));

if (process.argv[1] === SELF) {
  if (process.argv[2] === 'receive') {
    process.on('disconnect', () => process.exit());
    receive();
  } else {
    const result = await webhooks();
    console.log(JSON.stringify(result));
    if (result.ratio < result.wanted) process.exitCode = 1;
  }
}
