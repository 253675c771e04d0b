import { beforeAll, describe, expect, test } from '@jest/globals';
import { upstreamError } from '@overheard/contracts';
import { until } from '@overheard/testing';
import { completed, type Ending, never } from '../../../../test/stand-in-worker.js';
import { type Tenant, useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway', 'task-store'] });
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant({ credits: 1000 })));

const EXACT = String.raw`{ "text":"one" ,"model":"m\ud800","sources":[ ],"text":"a\u0000\ud800b" }`;
const endings: Record<string, () => Ending | Promise<Ending>> = {
  exact: () => ({ outcome: completed(EXACT) }),
  failed: () => ({ outcome: { status: 'FAILED', error: upstreamError('Upstream', 'blocked', 10) }, attempts: 10 }),
  stays: never,
};
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('a task is read', () => {
  test('as QUEUED, with an empty response, before any worker has it', async () => {
    const { taskId } = (
      await tenant.create({ payload: { prompt: 'stays' }, priority: 3, idempotencyKey: 'mine', webhook: { url: 'https://example.com/hook' } })
    ).body;
    const { status, headers, body } = await tenant.read(taskId);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      task: {
        id: taskId,
        taskType: 'CHATGPT',
        status: 'QUEUED',
        priority: 3,
        createdAt: TIME,
        idempotencyKey: 'mine',
        webhook: { url: 'https://example.com/hook', status: 'pending', attempts: 0, lastStatusCode: null, nextAttemptAt: null },
      },
      credits: { creditsToCharge: 5, creditsCharged: null },
      response: {},
    });
  });

  test('as PROCESSING, with an empty response, while one runs it', async () => {
    await stack.work(({ payload }) => (endings[payload['prompt'] as string] ?? never)());
    const { taskId } = (await tenant.create({ payload: { prompt: 'stays' } })).body;
    const { body } = await until('it to be at work', async () => {
      const reply = await tenant.read(taskId);
      return reply.body.task.status === 'PROCESSING' && reply;
    });
    expect(body).toEqual({
      task: { id: taskId, taskType: 'CHATGPT', status: 'PROCESSING', priority: 1, createdAt: TIME, startedAt: TIME },
      credits: { creditsToCharge: 5, creditsCharged: null },
      response: {},
    });
  });

  test('as COMPLETED, with the result as it was written, its charge and its times', async () => {
    const { taskId } = (await tenant.create({ payload: { prompt: 'exact' } })).body;
    const { text, body } = await tenant.over(taskId);
    expect(text).toContain(`,"response":${EXACT},"quality":{"status":"ok"`);
    expect(body.credits).toEqual({ creditsToCharge: 5, creditsCharged: 5 });
    const { task } = body;
    expect(task).toEqual({
      id: taskId,
      taskType: 'CHATGPT',
      status: 'COMPLETED',
      priority: 1,
      createdAt: TIME,
      startedAt: TIME,
      completedAt: TIME,
      expiresAt: TIME,
      latencyMs: expect.any(Number),
      attempts: 1,
    });
    expect([task.createdAt, task.startedAt, task.completedAt]).toEqual([task.createdAt, task.startedAt, task.completedAt].sort());
    expect(Date.parse(task.expiresAt) - Date.parse(task.completedAt)).toBe(86_400_000);
    expect(task.latencyMs).toBe(Date.parse(task.completedAt) - Date.parse(task.createdAt));
  });

  test('as FAILED, with its error, and free', async () => {
    const { taskId } = (await tenant.create({ payload: { prompt: 'failed' } })).body;
    const { body } = await tenant.over(taskId);
    expect(Object.keys(body)).toEqual(['task', 'credits', 'response']);
    expect(body).toMatchObject({ task: { status: 'FAILED', attempts: 10 }, credits: { creditsToCharge: 5, creditsCharged: 0 } });
    expect(body.response).toEqual({
      error: {
        code: 'EXTERNAL_SERVICE_ERROR',
        message: 'External service error: Upstream',
        details: { service: 'Upstream', attempts: 10, reason: 'blocked' },
        timestamp: TIME,
      },
    });
    // The log says what a synchronous caller would have been answered.
    expect((await stack.requestLog(tenant.accountId)).find(({ requestId }) => requestId === taskId)).toMatchObject({
      mode: 'async',
      statusCode: 502,
      creditsCharged: 0,
    });
  });
});

test('every key of the account reads its tasks, synchronous requests too, in any spelling of the id', async () => {
  const { headers } = await tenant.ask({ prompt: 'exact' });
  const reader = await stack.anotherKey(tenant.accountId, { scopes: ['tasks:read'] });
  const { status, text } = await reader.read((headers.get('x-request-id') ?? '').toUpperCase());
  expect(status).toBe(200);
  expect(text).toContain(`"response":${EXACT}`);
});
