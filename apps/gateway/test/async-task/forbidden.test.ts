import { expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway'] });

test('a task is refused when what is left does not pay for it, and nothing is reserved for it', async () => {
  const tenant = await stack.tenant({ credits: 9 });
  expect((await tenant.create()).status).toBe(202);
  const { status, headers, body } = await tenant.create();
  expect([status, body]).toEqual([
    403,
    { error: { code: 'INSUFFICIENT_CREDITS', message: 'Insufficient credits', details: { required: 5, available: 4 }, timestamp: expect.any(String) } },
  ]);
  expect(headers.get('x-credits-remaining')).toBe('4');
  expect(await stack.credits(tenant.accountId)).toEqual({ granted: 9, balance: 4, reserved: 5, charged: 0 });
  await until('the refusal to be logged', async () =>
    (await stack.requestLog(tenant.accountId)).some(
      ({ requestId, statusCode, creditsCharged }) => requestId === headers.get('x-request-id') && statusCode === 403 && creditsCharged === 0,
    ),
  );
});

test('of many creations at once exactly as many are accepted as the credits pay for', async () => {
  const tenant = await stack.tenant({ credits: 103 });
  const statuses = (await Promise.all(Array.from({ length: 60 }, () => tenant.create()))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 202)).toHaveLength(20);
  expect(statuses.filter((status) => status === 403)).toHaveLength(40);
  expect(await stack.credits(tenant.accountId)).toEqual({ granted: 103, balance: 3, reserved: 100, charged: 0 });
});
