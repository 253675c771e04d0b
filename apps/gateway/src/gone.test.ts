import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { goneSignal } from './gone.js';

let server: FastifyInstance;
beforeEach(() => {
  server = fastify();
});
afterEach(() => server.close());

test('a client that hung up is noticed, whether it leaves before or after somebody asks', async () => {
  const replies: FastifyReply[] = [];
  server.get('/', (_request, reply) => void replies.push(reply));
  await server.listen({ host: '127.0.0.1', port: 0 });

  const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  const requested = once(server.server, 'request');
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await requested;
  await new Promise(setImmediate);
  const [reply] = replies as [FastifyReply];

  const before = goneSignal(reply);
  expect(before.aborted).toBe(false);
  const closed = once(reply.raw, 'close');
  client.destroy();
  await closed;
  expect([before.aborted, goneSignal(reply).aborted]).toEqual([true, true]);
});

test('an answer that is out is nobody gone', async () => {
  const signals: AbortSignal[] = [];
  server.get('/', (_request, reply) => {
    signals.push(goneSignal(reply));
    return 'answer';
  });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  expect(await (await fetch(address, { headers: { connection: 'close' } })).text()).toBe('answer');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});
