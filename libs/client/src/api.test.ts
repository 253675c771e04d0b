import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ApiRefused, Overheard } from './index.js';

const seen: unknown[] = [];
let answer = { status: 200, body: '{}' };
const server = createServer((request, response) => {
  void text(request).then((body) => {
    seen.push([request.method, request.url, request.headers.authorization, request.headers['content-type'], body]);
    response.writeHead(answer.status).end(answer.body);
  });
});
let api: Overheard;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  api = new Overheard({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, key: 'sk_live_x' });
});
afterAll(() => void server.close());

it('a call is what the API expects, and gives what it answers', async () => {
  answer = { status: 200, body: '{"taskId":"1"}' };
  const task = { taskType: 'ANY', payload: { prompt: 'Größe', country: 'DE' }, webhook: { url: 'https://example.com/' } };
  expect(await api.createTask(task)).toEqual({ taskId: '1' });
  await api.readTask('1');
  await api.readTask('1', { wait: '25s' });
  await api.listDeliveries({ status: 'failed', limit: 7 });
  await api.redeliver('2');
  const bearer = 'Bearer sk_live_x';
  expect(seen).toEqual([
    ['POST', '/v1/async/task', bearer, 'application/json', JSON.stringify(task)],
    ['GET', '/v1/async/task/1', bearer, undefined, ''],
    ['GET', '/v1/async/task/1?wait=25s', bearer, undefined, ''],
    ['GET', '/v1/webhooks/deliveries?status=failed&limit=7', bearer, undefined, ''],
    ['POST', '/v1/webhooks/deliveries/2/redeliver', bearer, undefined, ''],
  ]);
});

it('a refusal carries status and body, whatever that is', async () => {
  answer = { status: 409, body: '{"code":"RESOURCE_EXPIRED"}' };
  await expect(api.redeliver('2')).rejects.toThrow(new ApiRefused(409, { code: 'RESOURCE_EXPIRED' }));
  answer = { status: 502, body: '<html>' };
  await expect(api.readTask('2')).rejects.toMatchObject({ name: 'ApiRefused', status: 502, body: '<html>' });
});
