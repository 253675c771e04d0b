import { beforeAll, expect, test } from '@jest/globals';
import { SCOPES } from '@overheard/contracts';
import { type Tenant, useStack } from '../../../../test/stack.js';
import { nameOf, ROUTES } from '../routes.js';

const stack = useStack({ services: ['gateway'] });

const holders = new Map<string, Tenant>();
beforeAll(async () => {
  const { accountId } = await stack.tenant();
  for (const scope of SCOPES) holders.set(scope, await stack.anotherKey(accountId, { scopes: [scope] }));
  holders.set('all', await stack.anotherKey(accountId));
});

const withScope = (scope: string): Tenant => holders.get(scope) as Tenant;
/** Malformed, so that whoever is let through gets another error, and nothing is run. */
const junk = (method: string) => (method === 'POST' ? { body: '{ this is no JSON' } : {});

test.each(ROUTES.map((route) => [nameOf(route), route.scope ?? 'any key', route] as const))(
  '%s is for %s',
  async (_name, _scope, { method, path, scope: needed }) => {
    for (const scope of SCOPES) {
      const reply = await withScope(scope).send(method, path, junk(method));
      if (needed === undefined || needed === scope) expect([scope, reply.status]).not.toEqual([scope, 403]);
      else expect(reply).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_PERMISSIONS', message: 'Insufficient permissions' } } });
    }
    expect((await withScope('all').send(method, path, junk(method))).status).not.toBe(403);
  },
);

test('a refusal for want of a scope comes before the body is looked at, and tells the limits', async () => {
  const reply = await withScope('tasks:read').send('POST', '/v1/monitor/chatgpt', { body: 'x'.repeat(2_000_000), headers: { 'content-type': 'text/plain' } });
  expect(reply.status).toBe(403);
  expect(reply.headers.get('x-ratelimit-limit')).toBe('500');
});
