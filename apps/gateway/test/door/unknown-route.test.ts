import { beforeAll, expect, test } from '@jest/globals';
import { type Tenant, useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway'] });
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant()));

test.each(['/', '/v1', '/v1/nothing', '/v1/monitor/unknown', '/v1/monitor', '/v1/async/task/a/b', '/V1/countries', '/v1/%zz', '/v1/%E0%A4%A', '/v2/countries'])(
  '%s is no route: 404',
  async (path) => {
    for (const method of ['GET', 'POST']) {
      const reply = await tenant.send(method, path, method === 'POST' ? { body: '{}' } : {});
      expect([reply.status, reply.body.error.code]).toEqual([404, 'NOT_FOUND']);
      expect(Object.keys(reply.body.error)).toEqual(['code', 'message', 'timestamp']);
      expect(reply.headers.get('x-request-id')).toBeTruthy();
      expect(reply.headers.get('x-ratelimit-remaining')).toBeTruthy();
    }
  },
);

test.each([
  ['GET', '/v1/monitor/chatgpt', 'POST'],
  ['PUT', '/v1/monitor/google/news', 'POST'],
  ['PATCH', '/v1/async/task', 'POST'],
  ['POST', '/v1/countries', 'GET'],
  ['DELETE', '/v1/async/status', 'GET'],
  ['POST', '/v1/async/task/01890000-0000-7000-8000-000000000000', 'GET'],
])('%s %s is 405, and says that %s would do', async (method, path, allowed) => {
  const reply = await tenant.send(method, path, method === 'GET' ? {} : { body: '{}' });
  expect([reply.status, reply.body.error.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
  expect(reply.headers.get('allow')?.split(', ')).toContain(allowed);
  expect(reply.headers.get('allow')).not.toContain(method);
});

test('every answer has an id of its own, a UUIDv7 of this moment', async () => {
  const before = Date.now();
  const replies = await Promise.all(['/v1/countries', '/v1/nothing', '/v1/async/task/none', '/v1/countries?model=x'].map((path) => tenant.get(path)));
  const ids = replies.map(({ headers }) => headers.get('x-request-id') ?? '');
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseInt(id.replace('-', '').slice(0, 12), 16)).toBeGreaterThanOrEqual(before - 5);
  }
});
