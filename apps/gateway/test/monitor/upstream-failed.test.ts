import { beforeAll, describe, expect, test } from '@jest/globals';
import { FAILURE_REASONS, type FailureReason, judged, RETRIES_EXCEEDED, standardError, upstreamError } from '@overheard/contracts';
import { completed, type Ending } from '../../../../test/stand-in-worker.js';
import { type Tenant, useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway', 'task-store'] });

/** What the workers say to each prompt. */
const endings: Record<string, Ending> = {
  ...Object.fromEntries(
    (Object.keys(FAILURE_REASONS) as FailureReason[]).map((reason) => [
      reason,
      { outcome: { status: 'FAILED' as const, error: upstreamError('Upstream', reason, 10) }, attempts: 10 },
    ]),
  ),
  'our fault': { outcome: { status: 'FAILED', error: standardError('INTERNAL_SERVER_ERROR', undefined, RETRIES_EXCEEDED) } },
  degraded: {
    outcome: {
      ...completed({ text: 'half' }),
      quality: judged([{ id: 'complete_stream', status: 'failed', detail: 'The stream broke off' }]),
    } as Ending['outcome'],
  },
  'byte for byte': { outcome: completed(String.raw`{ "text":"one" ,"model":"m\ud800","sources":[ ],"text":"a\u0000\ud800b" }`), route: 'live' },
};

let tenant: Tenant;
beforeAll(async () => {
  await stack.work(({ payload }) => endings[payload['prompt'] as string] as Ending);
  tenant = await stack.tenant();
});

describe('an upstream that failed for good', () => {
  test.each(Object.keys(FAILURE_REASONS))('by %s is 502, names itself, and is free', async (reason) => {
    const asker = await stack.tenant({ credits: 100 });
    const { status, headers, body } = await asker.ask({ prompt: reason });
    expect([status, body]).toEqual([
      502,
      {
        error: {
          code: 'EXTERNAL_SERVICE_ERROR',
          message: 'External service error: Upstream',
          details: { service: 'Upstream', attempts: 10, reason },
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        },
      },
    ]);
    expect(['x-credits-charged', 'x-credits-remaining', 'x-upstream'].map((name) => headers.get(name))).toEqual(['0', '100', 'live']);
    expect(headers.get('server-timing')).toMatch(/^queue;dur=1\.0, upstream;dur=2\.0, parse;dur=3\.0, total;dur=/);
    expect(await stack.credits(asker.accountId)).toEqual({ granted: 100, balance: 100, reserved: 0, charged: 0 });
    expect(await stack.requestLog(asker.accountId)).toMatchObject([{ requestId: headers.get('x-request-id'), statusCode: 502, creditsCharged: 0 }]);
  });
});

test('our own fault after all retries is the simple 500, and free', async () => {
  const { status, headers, body } = await tenant.ask({ prompt: 'our fault' });
  expect([status, body, headers.get('x-credits-charged')]).toEqual([500, { success: false, error: 'Maximum retries exceeded' }, '0']);
  const { body: task } = await tenant.read(headers.get('x-request-id') ?? '');
  expect(task).toMatchObject({
    task: { status: 'FAILED' },
    credits: { creditsCharged: 0 },
    response: { error: { code: 'INTERNAL_SERVER_ERROR', message: 'Maximum retries exceeded' } },
  });
});

test('a degraded answer is an answer: charged, and it says what is wrong with it', async () => {
  const { status, headers, body } = await tenant.ask({ prompt: 'degraded' });
  expect([status, headers.get('x-credits-charged')]).toEqual([200, '5']);
  expect(body).toEqual({
    success: true,
    result: { text: 'half', model: 'stand-in', sources: [] },
    quality: { status: 'degraded', checks: [{ id: 'complete_stream', status: 'failed', detail: 'The stream broke off' }] },
  });
});

test('a result is passed on as it was written, even where no JSON reader would write it so', async () => {
  const { text, headers } = await tenant.ask({ prompt: 'byte for byte' });
  const response = (endings['byte for byte']?.outcome as { response: string }).response;
  expect(text).toContain(`{"success":true,"result":${response},"quality":`);
  expect((await tenant.read(headers.get('x-request-id') ?? '')).text).toContain(`"response":${response},"quality":`);
});
