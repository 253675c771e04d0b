// Fastify + BullMQ, as people glue them together: `node bullmq.mjs REDIS_URL`. Sends its port to its parent.
//   POST /accept  answers once the job is in Redis      POST /sync  waits for the job's result
//   GET  /jobs/ID waits for the job's end and answers its result
// A job does nothing, in this process, at the given concurrency.
import { Queue, QueueEvents, Worker } from 'bullmq';
import fastify from 'fastify';

const { hostname: host, port, username, password } = new URL(process.argv[2] ?? '');
const connection = { host, port: Number(port), ...(password && { username: username || 'default', password: decodeURIComponent(password) }) };
const name = `bench-${process.pid}`;
const queue = new Queue(name, { connection });
const events = new QueueEvents(name, { connection });
const worker = new Worker(name, async (job) => ({ text: job.data.prompt }), { connection, concurrency: 64 });
await Promise.all([queue.waitUntilReady(), events.waitUntilReady(), worker.waitUntilReady()]);

const app = fastify();
app.post('/accept', async (request, reply) => {
  const { id } = await queue.add('ask', request.body);
  return reply.code(202).send({ taskId: id });
});
app.post('/sync', async (request) => ({ result: await (await queue.add('ask', request.body)).waitUntilFinished(events) }));
app.get('/jobs/:id', async (request) => {
  const job = await queue.getJob(request.params.id);
  return { result: await job.waitUntilFinished(events) };
});
process.on('disconnect', async () => {
  await queue.obliterate({ force: true });
  process.exit();
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.(app.server.address().port);
