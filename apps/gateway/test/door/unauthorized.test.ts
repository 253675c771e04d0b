import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { revokeKey } from '@overheard/database';
import { until } from '@overheard/testing';
import { type Tenant, useStack } from '../../../../test/stack.js';
import { nameOf, ROUTES } from '../routes.js';

const stack = useStack({ services: ['gateway'] });

const unknown = `sk_live_${randomBytes(32).toString('base64url')}`;

describe('without a good key', () => {
  const cases: [string | undefined, string, string][] = [
    [undefined, 'MISSING_API_KEY', 'Missing or invalid API key'],
    ['', 'MISSING_API_KEY', 'Missing or invalid API key'],
    ['Bearer', 'MISSING_API_KEY', 'Missing or invalid API key'],
    ['Bearer   ', 'MISSING_API_KEY', 'Missing or invalid API key'],
    [`Basic ${unknown}`, 'MISSING_API_KEY', 'Missing or invalid API key'],
    [unknown, 'MISSING_API_KEY', 'Missing or invalid API key'],
    ['Bearer hello', 'INVALID_API_KEY_FORMAT', 'Invalid API key format'],
    [`Bearer ${unknown.slice(0, -1)}`, 'INVALID_API_KEY_FORMAT', 'Invalid API key format'],
    [`Bearer ${unknown}a`, 'INVALID_API_KEY_FORMAT', 'Invalid API key format'],
    [`Bearer ${unknown.replace('sk_live_', 'sk_prod_')}`, 'INVALID_API_KEY_FORMAT', 'Invalid API key format'],
    [`Bearer ${unknown}`, 'INVALID_OR_EXPIRED_API_KEY', 'Invalid or expired API key'],
    [`bearer ${unknown.replace('live', 'test')}`, 'INVALID_OR_EXPIRED_API_KEY', 'Invalid or expired API key'],
  ];

  test.each(cases)('%j is refused as %s', async (authorization, code, message) => {
    const reply = await stack.as().send('GET', '/v1/countries', { headers: authorization === undefined ? {} : { authorization } });
    expect([reply.status, reply.body]).toEqual([401, { error: { code, message, timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) } }]);
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    // Only a known key is told of its limits.
    expect(reply.headers.get('x-ratelimit-limit')).toBeNull();
  });

  test.each(ROUTES.map((route) => [nameOf(route), route] as const))('%s is closed, whatever is sent', async (_name, { method, path }) => {
    const body = method === 'POST' ? { body: '{ this is no JSON', headers: { 'content-type': 'text/plain' } } : {};
    expect(await stack.as().send(method, path, body)).toMatchObject({ status: 401, body: { error: { code: 'MISSING_API_KEY' } } });
  });

  test('nobody learns which routes there are', async () => {
    expect((await stack.as().get('/v1/no/such/route')).status).toBe(401);
    expect((await stack.as().send('PUT', '/v1/async/task')).status).toBe(401);
  });
});

test.each(['Bearer', 'bearer', 'BEARER'])('the scheme may be written as %s', async (scheme) => {
  const { key } = await stack.tenant();
  expect((await stack.as().send('GET', '/v1/countries', { headers: { authorization: `${scheme} ${key}` } })).status).toBe(200);
});

/** When the last call was sent that still got through. */
async function lastTaken(tenant: Tenant): Promise<number> {
  let last = 0;
  await until('the key to be refused', async () => {
    const began = Date.now();
    const { status } = await tenant.get('/v1/async/status');
    if (status === 200) last = began;
    return status === 401;
  });
  return last;
}

describe('a key', () => {
  test('that is revoked is refused within a second, while others of its account go on', async () => {
    const tenant = await stack.tenant();
    const other = await stack.anotherKey(tenant.accountId);
    expect((await tenant.get('/v1/async/status')).status).toBe(200);
    await revokeKey(stack.database, tenant.keyId);
    const revokedAt = Date.now();
    expect((await lastTaken(tenant)) - revokedAt).toBeLessThan(1000);
    expect((await tenant.get('/v1/async/status')).body.error.code).toBe('INVALID_OR_EXPIRED_API_KEY');
    expect((await other.get('/v1/async/status')).status).toBe(200);
  });

  test('that expires is good until then and refused within a second afterwards', async () => {
    const tenant = await stack.tenant({}, { expiresInMs: 1500 });
    const expiresAt = Date.now() + 1500;
    expect((await tenant.get('/v1/async/status')).status).toBe(200);
    expect((await lastTaken(tenant)) - expiresAt).toBeLessThan(1000);
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt - 50);
  });

  test('that was made after it was first refused is good within a second', async () => {
    const { accountId } = await stack.tenant();
    const key = `sk_live_${randomBytes(32).toString('base64url')}`;
    expect((await stack.as(key).get('/v1/countries')).status).toBe(401);
    await stack.anotherKey(accountId, { key });
    await until('the key to be good', async () => (await stack.as(key).get('/v1/countries')).status === 200, 2000);
  });
});
