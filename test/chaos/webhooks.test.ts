import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { nothingLost } from '../nothing-lost.js';
import { type Tenant, useStack } from '../stack.js';
import { figure, secondsSince } from './figures.js';

const TEST_MS = 300_000;
const TASKS = 1000;

/** A receiver that asks for the task within its own handler, as a user's would. */
const seen: { id: string; status: string; charged: number | null; said: number | null }[] = [];
const counts = new Map<string, number>();
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { task, credits } = JSON.parse(Buffer.concat(chunks).toString());
    counts.set(task.id, (counts.get(task.id) ?? 0) + 1);
    if (request.url === '/count') return void response.end();
    void tenant.read(task.id).then(({ body }) => {
      seen.push({ id: task.id, status: body.task?.status, charged: body.credits?.creditsCharged, said: credits.creditsCharged });
      response.end();
    });
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
afterAll(() => void receiver.close());

const stack = useStack({ services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'], env: { WEBHOOK_ALLOWED_HOSTS: host } });
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant({ rate: 100_000 })));

async function create(path: string): Promise<void> {
  for (let from = 0; from < TASKS; from += 500) {
    const tasks = Array.from({ length: 500 }, (_none, index) => ({
      taskType: 'CHATGPT',
      payload: { prompt: `Delivered ${path} ${from + index}?`, country: 'US' },
      webhook: { url: `http://${host}${path}` },
    }));
    expect((await tenant.post('/v1/async/task/batch', { tasks })).status).toBe(200);
  }
}

test(
  'a receiver that reads its task within the delivery finds it over and charged as the delivery says, a thousand times',
  async () => {
    await create('/read');
    await nothingLost(stack, 120_000);
    expect(seen).toHaveLength(TASKS);
    expect(seen.filter(({ status, charged, said }) => status !== 'COMPLETED' || charged !== 5 || said !== 5)).toEqual([]);
  },
  TEST_MS,
);

test(
  'kill -9 of a dispatcher with a thousand deliveries due: all are delivered, and none more than twice',
  async () => {
    counts.clear();
    await stack.end('webhook-dispatcher');
    await create('/count');
    await until('all to be settled', async () => (await stack.credits(tenant.accountId)).charged === 2 * TASKS * 5, 120_000);
    await stack.restart('webhook-dispatcher');
    await until('some to be delivered', () => counts.size > 50);
    await stack.kill('webhook-dispatcher');
    const killed = Date.now();
    await stack.restart('webhook-dispatcher');
    await nothingLost(stack, 120_000);
    figure('all delivered after, s', secondsSince(killed));
    figure('delivered twice', [...counts.values()].filter((count) => count > 1).length);
    expect([counts.size, Math.max(...counts.values())].map((count, index) => (index === 1 ? count <= 2 : count))).toEqual([TASKS, true]);
  },
  TEST_MS,
);
