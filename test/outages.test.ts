import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { type Reply, type Tenant, useStack } from './stack.js';

const ANSWER_WITHIN_MS = 5000;

const stack = useStack({ cuttable: true });
let tenant: Tenant;
let began = 0;
beforeEach(async () => {
  tenant = await stack.tenant({ credits: 100, rate: 50 });
  began = Date.now();
});
afterEach(async () => {
  for (const server of ['REDIS_URL', 'NATS_URL', 'DATABASE_URL'] as const) await stack.mend(server);
  await ready();
});

/** An answer, which comes in time although something is away. */
async function inTime(reply: Promise<Reply>): Promise<Reply> {
  const began = Date.now();
  const answer = await reply;
  expect(Date.now() - began).toBeLessThan(ANSWER_WITHIN_MS + 500);
  return answer;
}
const internal = { status: 500, body: { error: { code: 'INTERNAL_SERVER_ERROR' } } };
const atWork = (nonce: string) => until('the upstream to be asked', async () => (await stack.calls(nonce)).length > 0);
const answered = (nonce: string) => until('the upstream to have answered', async () => (await stack.calls(nonce))[0]?.status === 200);
const ready = () => until('the gateway to be there again', async () => (await tenant.ask({ prompt: 'There?' })).status === 200);

describe.each(['cut', 'stall'] as const)('a server that is away: %s', (away) => {
  test('without Redis nobody is limited, requests are answered, and one line says so', async () => {
    const lines = () => stack.log('gateway').filter(({ level, msg }) => level === 'warn' && /Redis is away/.test(msg)).length;
    const before = lines();
    await stack[away]('REDIS_URL');
    const replies = await Promise.all(Array.from({ length: 80 }, () => inTime(tenant.get('/v1/countries'))));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(replies.at(-1)?.headers.get('x-ratelimit-remaining')).toBe('50');
    const { status, headers } = await inTime(tenant.ask());
    expect([status, ...['x-concurrent-limit', 'x-concurrent-current', 'x-concurrent-remaining'].map((name) => headers.get(name))]).toEqual([
      200,
      null,
      null,
      null,
    ]);
    expect(lines() - before).toBe(1);
    await stack.mend('REDIS_URL');
    await until('limits to be back', async () => (await tenant.ask()).headers.get('x-concurrent-limit') === '50');
  });

  test('without NATS tasks are accepted and done later; a synchronous request is refused in time, and free', async () => {
    const [later, now] = [`later-${away}`, `now-${away}`];
    await stack[away]('NATS_URL');
    const { status, body } = await inTime(tenant.create({ payload: { prompt: `Later? #nonce=${later}` } }));
    expect(status).toBe(202);
    expect((await inTime(tenant.read(body.taskId))).body.task.status).toBe('QUEUED');
    expect(await inTime(tenant.ask({ prompt: `Now? #nonce=${now}` }))).toMatchObject(internal);
    await until('nothing to be reserved for it', async () => (await stack.credits(tenant.accountId)).reserved === 5);
    await stack.mend('NATS_URL');
    expect((await tenant.over(body.taskId, 50_000)).body).toMatchObject({ task: { status: 'COMPLETED' }, credits: { creditsCharged: 5 } });
    await ready();
    expect(await stack.calls(later)).toHaveLength(1);
    expect((await stack.credits(tenant.accountId)).reserved).toBe(0);
    // What was answered with an error is not run afterwards; unless it was on its way already, which nobody can tell.
    if (away === 'cut') expect(await stack.calls(now)).toEqual([]);
  });
});

test('without PostgreSQL everything that needs it is a 500 in time, and nothing is charged', async () => {
  await tenant.get('/v1/countries');
  await stack.cut('DATABASE_URL');
  // The key is known for a moment; afterwards it has to be looked up as well.
  for (let round = 0; round < 2; round += 1) {
    const replies = await Promise.all([tenant.ask(), tenant.create(), tenant.get('/v1/async/status')].map(inTime));
    for (const reply of replies) expect(reply).toMatchObject(internal);
    await until('the key to be forgotten', () => Date.now() > began + 1000);
  }
  await stack.mend('DATABASE_URL');
  await ready();
  expect((await stack.credits(tenant.accountId)).charged).toBe(5);
});

describe('a synchronous request that is at work is answered all the same, and charged once', () => {
  test.each(['NATS_URL', 'DATABASE_URL', 'REDIS_URL'] as const)('though %s is away for a moment', async (server) => {
    const nonce = `through-${server}`;
    const reply = tenant.ask({ prompt: `Through? #delay=1s #nonce=${nonce}` });
    await atWork(nonce);
    await stack.cut(server);
    await answered(nonce);
    await stack.mend(server);
    const { status, headers } = await reply;
    expect([status, headers.get('x-credits-charged'), headers.get('x-credits-remaining')]).toEqual([200, '5', '95']);
    expect(await stack.calls(nonce)).toHaveLength(1);
  });
});
