// The hops of a synchronous request and nothing else: `node hops.mjs NATS_URL DATABASE_URL UPSTREAM_URL`. What the product's way through three processes,
// JetStream and four transactions costs on its own, without contracts, limits, credits, retries, sweeps or logs. Sends its port to its parent.
//   POST /sync  is stored, published, claimed, asked upstream, published, stored, told to the gateway and stored, then answered
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import fastify from 'fastify';
import { Pool } from 'undici';
import { Bus, busConfig } from '../../libs/bus/dist/index.js';
import { Batcher, createLogger } from '../../libs/runtime/dist/index.js';

const pg = createRequire(new URL('../../libs/database/package.json', import.meta.url))('pg');
const [natsUrl, databaseUrl, upstreamUrl = '', role = 'gateway'] = process.argv.slice(2);
const BATCH_MAX = 500;
const AT_ONCE = 200;

const bus = await Bus.connect(busConfig.parse({ NATS_URL: natsUrl, NATS_PREFIX: 'hops' }), 'hops', createLogger('hops', 'fatal'));
const { connection, jetstream, manager } = bus;
const database = new pg.Pool({ connectionString: databaseUrl, max: 4 });
process.on('disconnect', () => process.exit());
process.send?.((await { gateway, worker, store }[role]?.()) ?? 0);

async function gateway() {
  await database.query(
    'create table hops_requests (id uuid primary key, body text, settled boolean); create table hops_tasks (id uuid primary key, answer text)',
  );
  for (const name of ['hops_work', 'hops_outcome']) {
    await manager.streams.add({ name, subjects: [name], retention: 'workqueue', storage: 'file' });
    await manager.consumers.add(name, { durable_name: name, ack_policy: 'explicit' });
  }
  for (const other of ['store', 'worker']) await once(fork(fileURLToPath(import.meta.url), [natsUrl, databaseUrl, upstreamUrl, other]), 'message');
  const admit = batches("insert into hops_requests select (item ->> 'id')::uuid, item ->> 'body' from json_array_elements($1::json) item");
  const settle = batches("update hops_requests set settled = true where id in (select (item ->> 'id')::uuid from json_array_elements($1::json) item)");
  /** @type {Map<string, (text: string) => void>} */
  const waiting = new Map();
  connection.subscribe('hops_inbox', {
    callback: async (_error, message) => {
      const { id, text } = message.json();
      await settle.add({ id });
      waiting.get(id)?.(text);
      waiting.delete(id);
    },
  });
  const app = fastify();
  app.post('/sync', async ({ body }) => {
    const id = randomUUID();
    await admit.add({ id, body: JSON.stringify(body) });
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    await jetstream.publish('hops_work', JSON.stringify({ id, body }), { msgID: id });
    return { result: await answered };
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app.server.address().port;
}

async function worker() {
  const { origin, pathname } = new URL(upstreamUrl);
  const upstream = new Pool(origin, { connections: AT_ONCE });
  await each('hops_work', async ({ id, body }) => {
    await connection.request('hops_claim', JSON.stringify({ id }));
    const answer = await upstream.request({ method: 'POST', path: pathname, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    await jetstream.publish('hops_outcome', JSON.stringify({ id, text: await answer.body.text() }), { msgID: id });
  });
}

async function store() {
  const claim = batches("insert into hops_tasks select (item ->> 'id')::uuid from json_array_elements($1::json) item");
  const record = batches("update hops_tasks set answer = item ->> 'text' from json_array_elements($1::json) item where hops_tasks.id = (item ->> 'id')::uuid");
  connection.subscribe('hops_claim', {
    callback: async (_error, message) => {
      await claim.add(message.json());
      message.respond('go');
    },
  });
  await each('hops_outcome', async (outcome) => {
    await record.add(outcome);
    connection.publish('hops_inbox', JSON.stringify(outcome));
  });
}

/** Works off a stream, as many messages at once as come, and acknowledges each when it is done. @param {string} stream @param {(message: any) => Promise<void>} work */
async function each(stream, work) {
  const messages = await (await jetstream.consumers.get(stream, stream)).consume({ max_messages: AT_ONCE });
  void (async () => {
    for await (const message of messages) void work(message.json()).then(() => message.ack());
  })();
}

/** A statement that takes what has gathered while the last one ran, as JSON. @param {string} text */
function batches(text) {
  return new Batcher(async (items) => void (await database.query({ name: text.slice(0, 60), text, values: [JSON.stringify(items)] })), { itemsMax: BATCH_MAX });
}
