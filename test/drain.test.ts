import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { useStack } from './stack.js';

const stack = useStack({ services: ['gateway', 'worker', 'task-store', 'sandbox', 'dashboard'] });

test('a worker that is told to end finishes what it has, takes nothing new, and ends with status 0; the rest waits for the next', async () => {
  const tenant = await stack.tenant();
  const word = `n${randomBytes(6).toString('hex')}`;
  const running = await Promise.all(
    Array.from({ length: 8 }, (_, index) => tenant.create({ payload: { prompt: `running ${index} #delay=2s #nonce=${word}` } })),
  );
  await until('all to be at work', async () => (await stack.calls(word)).length === 8);
  const ended = stack.end('worker');
  await until('it to be stopping', () => stack.log('worker').some(({ msg }) => msg === 'stopping'));
  const late = await tenant.create({ payload: { prompt: 'late' } });
  expect(await ended).toBe(0);
  for (const { body } of running) expect((await tenant.over(body.taskId, 5000)).body).toMatchObject({ task: { status: 'COMPLETED', attempts: 1 } });
  expect(await stack.calls(word)).toHaveLength(8);
  expect((await tenant.read(late.body.taskId)).body.task.status).toBe('QUEUED');
  await stack.restart('worker');
  expect((await tenant.over(late.body.taskId)).body).toMatchObject({ task: { status: 'COMPLETED', attempts: 1 } });
});

test.each(['gateway', 'task-store'] as const)('%s ends with status 0 when told, and what it had accepted is completed afterwards', async (service) => {
  const tenant = await stack.tenant();
  const tasks = await Promise.all(Array.from({ length: 20 }, (_, index) => tenant.create({ payload: { prompt: `task ${index} #delay=500ms` } })));
  expect(tasks.map(({ status }) => status)).toEqual(tasks.map(() => 202));
  expect(await stack.end(service)).toBe(0);
  await stack.restart(service);
  for (const { body } of tasks) expect((await tenant.over(body.taskId)).body.task.status).toBe('COMPLETED');
  await until('everything to be settled', async () => (await stack.credits(tenant.accountId)).reserved === 0);
  expect((await stack.credits(tenant.accountId)).charged).toBe(100);
});

test.each(['gateway', 'dashboard'] as const)(
  '%s ends with status 0 although clients are connected that have asked nothing yet, or half a question',
  async (service) => {
    const { port } = new URL(service === 'gateway' ? stack.baseUrl : stack.dashboardUrl);
    const clients = await Promise.all(['', 'POST /v1/async/task HTTP/1.1\r\n'].map((sent) => connected(Number(port), sent)));
    expect(await stack.end(service)).toBe(0);
    clients.forEach((client) => client.destroy());
    await stack.restart(service);
  },
);

test('a gateway answers what it has been asked before it ends, and its clients hear no more of it than that', async () => {
  const tenant = await stack.tenant();
  const idle = await connected(Number(new URL(stack.baseUrl).port), '');
  const cutOff = once(idle, 'close');
  const word = `n${randomBytes(6).toString('hex')}`;
  const asked = tenant.ask({ prompt: `mugs #delay=2s #nonce=${word}` });
  await until('it to be at work', async () => (await stack.calls(word)).length === 1);
  expect(await stack.end('gateway')).toBe(0);
  expect((await asked).status).toBe(200);
  await cutOff;
  await stack.restart('gateway');
});

test('a gateway breaks off what it still answers after 25 s, and ends with status 0; the run goes on and is paid for once', async () => {
  const tenant = await stack.tenant();
  const word = `n${randomBytes(6).toString('hex')}`;
  const asked = tenant.ask({ prompt: `mugs #delay=30s #nonce=${word}` }).catch(() => undefined);
  await until('it to be at work', async () => (await stack.calls(word)).length === 1);
  expect(await stack.end('gateway')).toBe(0);
  expect(await asked).toBeUndefined();
  await stack.restart('gateway');
  await until('it to be settled', async () => (await stack.credits(tenant.accountId)).reserved === 0, 30_000);
  expect(await stack.credits(tenant.accountId)).toMatchObject({ charged: 5 });
  expect(await stack.calls(word)).toHaveLength(1);
}, 120_000);

test('a gateway that starts again says it is alive only once it takes requests', async () => {
  const tenant = await stack.tenant();
  await stack.kill('gateway');
  const starting = stack.restart('gateway');
  while (!(await fetch(`${stack.healthUrl('gateway')}/healthz`).catch(() => undefined))?.ok) await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await tenant.create({ payload: { prompt: 'first' } })).status).toBe(202);
  await starting;
});

async function connected(port: number, sent: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  if (sent) socket.write(sent);
  return socket;
}
