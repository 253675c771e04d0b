import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { completed } from '../../../../test/stand-in-worker.js';
import { type Reply, type Tenant, useStack } from '../../../../test/stack.js';

const RETENTION_MS = 5000;

const stack = useStack({ services: ['gateway', 'task-store'], env: { TASK_RETENTION: `${RETENTION_MS}ms` } });
let tenant: Tenant;
beforeAll(async () => {
  tenant = await stack.tenant({ credits: 6 });
  await stack.work(() => ({ outcome: completed({ text: 'a secret' }) }));
});

const expectMissing = ({ status, body }: Reply) =>
  expect([status, body]).toEqual([404, { error: { code: 'RESOURCE_NOT_FOUND', message: 'There is no such resource', timestamp: expect.any(String) } }]);

test('a task that never was is not found', async () => {
  expectMissing(await tenant.read(randomUUID()));
  expectMissing(await tenant.read('00000000-0000-0000-0000-000000000000'));
});

test("another account's task is not found, and nothing is told of it; an expired one is not found by anybody", async () => {
  const { taskId } = (await tenant.create()).body;
  const stranger = await stack.tenant();
  expectMissing(await stranger.read(taskId));
  expectMissing(await stranger.send('DELETE', `/v1/async/task/${taskId}`));
  const { body } = await tenant.over(taskId);
  expect(Date.parse(body.task.expiresAt) - Date.parse(body.task.completedAt)).toBe(RETENTION_MS);
  const gone = await until('the task to expire', async () => {
    const reply = await tenant.read(taskId);
    return reply.status === 404 && reply;
  });
  expectMissing(gone);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(body.task.expiresAt) - 100);
  // What was asked and what was said are deleted; the log entry stays.
  await until('the answer to be deleted', async () => (await stack.database.selectFrom('tasks').select('id').where('id', '=', taskId).execute()).length === 0);
  await until(
    'the payload to be emptied',
    async () => (await stack.database.selectFrom('requests').select('payload').where('id', '=', taskId).executeTakeFirst())?.payload === null,
    40_000,
  );
  expect((await stack.requestLog(tenant.accountId)).map(({ requestId, statusCode }) => [requestId, statusCode])).toEqual([[taskId, 200]]);
});

test('a request that was refused is no task', async () => {
  const { status, headers } = await tenant.create();
  expect(status).toBe(403);
  expectMissing(await tenant.read(headers.get('x-request-id') ?? ''));
});

test.each(['1', 'not-a-uuid', '01890000-0000-7000-8000-00000000000', '01890000-0000-7000-8000-0000000000000', '%20', "1' or '1'='1"])(
  '%s is no id: 400',
  async (id) => {
    const { status, body } = await tenant.read(encodeURIComponent(id));
    expect([status, body]).toEqual([
      400,
      { success: false, error: 'Request validation failed', details: [{ field: 'taskId', message: 'taskId must be a UUID' }] },
    ]);
  },
);
