import { describe, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { type ApiClient, type Reply, useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway'] });

const RATE = 5;

/** So many calls at once; some clock second holds more than half of them. */
const burst = (clients: ApiClient[], count: number, path = '/v1/countries'): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, (_none, index) => (clients[index % clients.length] as ApiClient).get(path)));
const refused = (replies: Reply[]): Reply[] => replies.filter(({ status }) => status === 429);

describe('the rate limit', () => {
  test('lets as many through in a clock second as the plan says, and tells the others when to come again', async () => {
    const tenant = await stack.tenant({ rate: RATE });
    const replies = await burst([tenant], 4 * RATE);
    const [first] = refused(replies);
    // Two clock seconds at most were touched.
    expect(replies.length - refused(replies).length).toBeGreaterThanOrEqual(RATE);
    expect(replies.length - refused(replies).length).toBeLessThanOrEqual(2 * RATE);
    expect(first?.body).toEqual({
      error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Rate limit exceeded', details: { limit: RATE, window: '1s' }, timestamp: expect.any(String) },
    });
    expect(first?.headers.get('retry-after')).toBe('1');
    expect(first?.headers.get('x-ratelimit-limit')).toBe(String(RATE));
    expect(first?.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(first?.headers.get('x-ratelimit-reset')).toMatch(/^[01]$/);
    await until('the next second', async () => (await tenant.get('/v1/countries')).status === 200, 3000);
  });

  test('counts down what is left', async () => {
    const tenant = await stack.tenant({ rate: 1000 });
    const left = async () => Number((await tenant.get('/v1/countries')).headers.get('x-ratelimit-remaining'));
    // Unless the second ends in between, which it can't twice.
    const pair = async () => [await left(), await left()] as const;
    const [[one, two], [three, four]] = [await pair(), await pair()];
    expect([one - two, three - four]).toContain(1);
  });

  test('is one for all keys of an account, test keys among them, and none for its neighbour', async () => {
    const tenant = await stack.tenant({ rate: RATE });
    const keys = [tenant, await stack.anotherKey(tenant.accountId), await stack.anotherKey(tenant.accountId, { test: true })];
    const neighbour = await stack.tenant({ rate: RATE });
    expect(refused(await burst(keys, 6 * RATE)).length).toBeGreaterThanOrEqual(4 * RATE);
    expect((await neighbour.get('/v1/countries')).status).toBe(200);
  });

  test('counts every route, and calls that are refused for something else', async () => {
    const tenant = await stack.tenant({ rate: RATE }, { scopes: ['webhooks:manage'] });
    const replies = (
      await Promise.all(['/v1/no/such/route', '/v1/async/status', '/v1/countries?model=nobody'].map((path) => burst([tenant], 2 * RATE, path)))
    ).flat();
    expect(refused(replies).length).toBeGreaterThanOrEqual(4 * RATE);
    expect(new Set(replies.map(({ status }) => status)).has(429)).toBe(true);
  });

  test('is 500 a second unless the plan says otherwise', async () => {
    expect((await (await stack.tenant()).get('/v1/countries')).headers.get('x-ratelimit-limit')).toBe('500');
  });
});
