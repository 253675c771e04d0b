import { expect, test } from '@jest/globals';
import { useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway'], env: { QUEUE_MAX: '3', TEST_QUEUE_MAX: '2' } });

test('an account has so many outstanding tasks at most, and its test keys have a cap of their own', async () => {
  const tenant = await stack.tenant({ credits: 15 });
  const tester = await stack.anotherKey(tenant.accountId, { test: true });
  const neighbour = await stack.tenant();
  const first = await tenant.create({ idempotencyKey: 'k' });
  for (let turn = 0; turn < 2; turn += 1) expect([(await tenant.create()).status, (await tester.create()).status]).toEqual([202, 202]);

  const { status, headers, body } = await tenant.create();
  // The credits are used up as well: the cap comes first, and a key that was used before it.
  expect([status, body]).toEqual([
    429,
    { error: { code: 'QUEUE_LIMIT_EXCEEDED', message: 'Too many outstanding tasks', details: { limit: 3 }, timestamp: expect.any(String) } },
  ]);
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await tenant.create({ idempotencyKey: 'k' })).toMatchObject({
    status: 409,
    body: { error: { details: { taskId: first.body.taskId, status: 'QUEUED' } } },
  });
  expect(await tester.create()).toMatchObject({ status: 429, body: { error: { code: 'QUEUE_LIMIT_EXCEEDED', details: { limit: 2 } } } });
  expect((await neighbour.create()).status).toBe(202);
});

test('of many creations at once exactly as many are accepted as the cap has room for', async () => {
  const tenant = await stack.tenant();
  const statuses = (await Promise.all(Array.from({ length: 40 }, () => tenant.create()))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 202)).toHaveLength(3);
  expect(statuses.filter((status) => status === 429)).toHaveLength(37);
});
