import { expect, test } from '@jest/globals';
import { grantCredits } from '@overheard/database';
import { until } from '@overheard/testing';
import { useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway'] });

test('without enough credits nothing is run or reserved, and the answer says what is missing', async () => {
  const tenant = await stack.tenant({ credits: 6 });
  const { status, headers, body } = await tenant.ask({ include: { rawResponse: true } });
  expect([status, body]).toEqual([
    403,
    { error: { code: 'INSUFFICIENT_CREDITS', message: 'Insufficient credits', details: { required: 7, available: 6 }, timestamp: expect.any(String) } },
  ]);
  expect(headers.get('x-credits-remaining')).toBe('6');
  expect(headers.get('x-concurrent-current')).toBe('1');
  expect(await stack.credits(tenant.accountId)).toEqual({ granted: 6, balance: 6, reserved: 0, charged: 0 });
  const [entry] = await until('the log entry', async () => {
    const log = await stack.requestLog(tenant.accountId);
    return log.length > 0 && log;
  });
  expect(entry).toMatchObject({ requestId: headers.get('x-request-id'), statusCode: 403, creditsCharged: 0, mode: 'sync' });
  expect((await tenant.read(headers.get('x-request-id') ?? '')).status).toBe(404);
});

test('credits that are granted count at once', async () => {
  const tenant = await stack.tenant({ credits: 0 });
  const refusal = async () => (await tenant.post('/v1/monitor/google', { query: 'x', pages: 10, include: { aioverview: {}, paaAioverview: true } })).body.error;
  expect((await refusal()).details).toEqual({ required: 25, available: 0 });
  await grantCredits(stack.database, tenant.accountId, 24);
  expect((await refusal()).details).toEqual({ required: 25, available: 24 });
});
