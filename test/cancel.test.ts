import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { type Tenant, useStack } from './stack.js';

const stack = useStack({ env: { WORKER_SLOTS: '2' } });

const nonce = () => `n${randomBytes(6).toString('hex')}`;

/** Asks, and hangs up when told. */
const askUntil = (tenant: Tenant, signal: AbortSignal, prompt: string) =>
  tenant.send('POST', '/v1/monitor/chatgpt', { body: { prompt, country: 'US' }, signal }).catch(() => 'left');

describe('a client that leaves', () => {
  test('while the upstream works is logged 499, the run goes on, is charged, and stays readable by its request id', async () => {
    const tenant = await stack.tenant({ credits: 100, concurrency: 1 });
    const word = nonce();
    const leaving = new AbortController();
    const asked = askUntil(tenant, leaving.signal, `mugs #delay=2s #nonce=${word}`);
    await until('the upstream call', async () => (await stack.calls(word)).length === 1);
    leaving.abort();
    expect(await asked).toBe('left');
    const entry = await until('the log entry', async () => (await stack.requestLog(tenant.accountId)).find(({ statusCode }) => statusCode === 499));
    // Its slot is free although its run goes on.
    expect((await tenant.ask()).status).toBe(200);
    const read = await tenant.over(entry.requestId);
    expect(read.body).toMatchObject({ task: { status: 'COMPLETED' }, credits: { creditsCharged: 5 } });
    expect(read.text).toContain(word);
    expect(await stack.calls(word)).toHaveLength(1);
    expect((await stack.requestLog(tenant.accountId)).find(({ requestId }) => requestId === entry.requestId)).toMatchObject({
      statusCode: 499,
      creditsCharged: 5,
    });
  });

  test('before any worker has its request ends it, free, and the upstream is never asked', async () => {
    const tenant = await stack.tenant({ credits: 100 });
    const blockers = await Promise.all([1, 2].map(() => tenant.create({ payload: { prompt: `blocker ${nonce()} #delay=4s` }, priority: 10 })));
    await until('both slots to be taken', async () => (await tenant.get('/v1/async/status')).body.processingTasks === 2);
    const word = nonce();
    const leaving = new AbortController();
    const asked = askUntil(tenant, leaving.signal, `mugs #nonce=${word}`);
    await until('its credits to be held', async () => (await stack.credits(tenant.accountId)).reserved === 15);
    leaving.abort();
    await asked;
    const entry = await until('the log entry', async () =>
      (await stack.requestLog(tenant.accountId)).find(({ statusCode, creditsCharged }) => statusCode === 499 && creditsCharged === 0),
    );
    expect((await tenant.over(entry.requestId)).body).toMatchObject({ task: { status: 'FAILED' }, response: { error: { code: 'REQUEST_CANCELED' } } });
    await Promise.all(blockers.map(({ body }) => tenant.over(body.taskId)));
    expect(await stack.calls(word)).toEqual([]);
    await until('everything to be settled', async () => (await stack.credits(tenant.accountId)).reserved === 0);
    expect(await stack.credits(tenant.accountId)).toMatchObject({ balance: 90, charged: 10 });
  });
});

describe('DELETE of a task', () => {
  test('at work aborts it at once: FAILED, REQUEST_CANCELED, charged in full', async () => {
    const tenant = await stack.tenant({ credits: 100 });
    const word = nonce();
    const { body } = await tenant.create({ payload: { prompt: `mugs #delay=60s #nonce=${word}` } });
    await until('the upstream call', async () => (await stack.calls(word)).length === 1);
    expect((await tenant.send('DELETE', `/v1/async/task/${body.taskId}`)).status).toBe(200);
    const read = await tenant.over(body.taskId, 5000);
    expect(read.body).toMatchObject({ task: { status: 'FAILED' }, credits: { creditsCharged: 5 }, response: { error: { code: 'REQUEST_CANCELED' } } });
    // The slot is free again, which only an aborted run can give back so soon.
    const next = await Promise.all([1, 2].map(() => tenant.create()));
    for (const { body: task } of next) expect((await tenant.over(task.taskId, 10_000)).body.task.status).toBe('COMPLETED');
  });

  test('that is over changes nothing, and one of another account is not found', async () => {
    const [tenant, other] = [await stack.tenant(), await stack.tenant()];
    const { body } = await tenant.create();
    const before = await tenant.over(body.taskId);
    const deleted = await tenant.send('DELETE', `/v1/async/task/${body.taskId}`);
    expect([deleted.status, deleted.text]).toEqual([200, before.text]);
    expect((await other.send('DELETE', `/v1/async/task/${body.taskId}`)).status).toBe(404);
    expect((await tenant.read(body.taskId)).text).toBe(before.text);
  });
});
