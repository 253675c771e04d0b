// Fastify + pg-boss: `node pg-boss.mjs DATABASE_URL`. POST /accept answers once the job is in PostgreSQL. Sends its port to its parent.
import fastify from 'fastify';
import PgBoss from 'pg-boss';

const boss = new PgBoss({ connectionString: process.argv[2], schema: 'bench_pgboss', max: 10 });
await boss.start();
await boss.createQueue('ask');
const app = fastify();
app.post('/accept', async (request, reply) => reply.code(202).send({ taskId: await boss.send('ask', request.body) }));
process.on('disconnect', () => process.exit());
await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.(app.server.address().port);
