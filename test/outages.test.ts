import { beforeEach, describe, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { type Reply, type Tenant, useStack } from './stack.js';

const ANSWER_WITHIN_MS = 5000;

const stack = useStack({ cuttable: true });
let tenant: Tenant;
beforeEach(async () => void (tenant = await stack.tenant({ credits: 100, rate: 50 })));

/** An answer, which comes in time although something is away. */
async function inTime(reply: Promise<Reply>): Promise<Reply> {
  const began = Date.now();
  const answer = await reply;
  expect(Date.now() - began).toBeLessThan(ANSWER_WITHIN_MS + 500);
  return answer;
}
const atWork = (nonce: string) => until('the upstream to be asked', async () => (await stack.calls(nonce)).length > 0);
const ready = () => until('the gateway to be there again', async () => (await tenant.ask({ prompt: 'There?' })).status === 200);

describe('without Redis', () => {
  test('nobody is limited, requests are answered, and one line says so', async () => {
    await stack.cut('REDIS_URL');
    const replies = await Promise.all(Array.from({ length: 80 }, () => inTime(tenant.get('/v1/countries'))));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(replies.at(-1)?.headers.get('x-ratelimit-remaining')).toBe('50');
    const { status, headers } = await inTime(tenant.ask());
    expect([status, ...['x-concurrent-limit', 'x-concurrent-current', 'x-concurrent-remaining'].map((name) => headers.get(name))]).toEqual([200, null, null, null]);
    expect(stack.log('gateway').filter(({ level, msg }) => level === 'warn' && /Redis is away/.test(msg))).toHaveLength(1);
    await stack.mend('REDIS_URL');
    await until('limits to be back', async () => (await tenant.ask()).headers.get('x-concurrent-limit') === '50');
  });
});

describe('without NATS', () => {
  test('tasks are accepted and done later; a synchronous request is refused in time, and free', async () => {
    await stack.cut('NATS_URL');
    const { status, body } = await inTime(tenant.create({ payload: { prompt: 'Later? #nonce=later' } }));
    expect(status).toBe(202);
    expect((await inTime(tenant.read(body.taskId))).body.task.status).toBe('QUEUED');
    expect(await inTime(tenant.ask({ prompt: 'Now? #nonce=now' }))).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_SERVER_ERROR' } } });
    await until('nothing to be reserved for it', async () => (await stack.credits(tenant.accountId)).reserved === 5);
    await stack.mend('NATS_URL');
    expect((await tenant.over(body.taskId, 50_000)).body).toMatchObject({ task: { status: 'COMPLETED' }, credits: { creditsCharged: 5 } });
    await ready();
    expect(await stack.calls('later')).toHaveLength(1);
    // What was answered with an error is not run afterwards.
    expect(await stack.calls('now')).toEqual([]);
  });

  test('for a moment, a synchronous request that is at work is answered all the same', async () => {
    const reply = tenant.ask({ prompt: 'Through? #delay=1s #nonce=through-nats' });
    await atWork('through-nats');
    await stack.cut('NATS_URL');
    await until('the upstream to have answered', async () => (await stack.calls('through-nats'))[0]?.status === 200);
    await stack.mend('NATS_URL');
    expect((await reply).status).toBe(200);
    expect((await stack.credits(tenant.accountId)).charged).toBe(5);
  });
});

describe('without PostgreSQL', () => {
  test('everything that needs it is a 500 in time, and nothing is charged', async () => {
    await tenant.get('/v1/countries');
    await stack.cut('DATABASE_URL');
    for (const reply of [tenant.ask(), tenant.create(), tenant.get('/v1/async/status')]) {
      expect(await inTime(reply)).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_SERVER_ERROR' } } });
    }
    await stack.mend('DATABASE_URL');
    await ready();
    expect((await stack.credits(tenant.accountId)).charged).toBe(5);
  });

  test('for a moment, a synchronous request that is at work is answered all the same, and charged once', async () => {
    const reply = tenant.ask({ prompt: 'Through? #delay=1s #nonce=through-database' });
    await atWork('through-database');
    await stack.cut('DATABASE_URL');
    await until('the upstream to have answered', async () => (await stack.calls('through-database'))[0]?.status === 200);
    await stack.mend('DATABASE_URL');
    const { status, headers } = await reply;
    expect([status, headers.get('x-credits-charged'), headers.get('x-credits-remaining')]).toEqual([200, '5', '95']);
    expect(await stack.calls('through-database')).toHaveLength(1);
  });
});
