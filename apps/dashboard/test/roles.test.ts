import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Role } from '@overheard/contracts';
import { useStack } from '../../../test/stack.js';
import { ROUTES } from '../src/api.js';
import { personIn, Visitor } from './visitor.js';

const stack = useStack({ services: ['dashboard'] });
const ID = randomUUID();

type Route = [method: 'GET' | 'POST', path: string, least: Role];

/** Every route that needs a session. */
const GUARDED: Record<Exclude<keyof typeof ROUTES, 'session' | 'setup' | 'login' | 'logout'>, Route[]> = {
  switchAccount: [['POST', ROUTES.switchAccount, 'viewer']],
  password: [['POST', ROUTES.password, 'viewer']],
  people: [
    ['GET', ROUTES.people, 'viewer'],
    ['POST', ROUTES.people, 'owner'],
  ],
  roleOf: [['POST', ROUTES.roleOf(ID), 'owner']],
  removalOf: [['POST', ROUTES.removalOf(ID), 'owner']],
  audit: [['GET', ROUTES.audit, 'owner']],
  requests: [['GET', ROUTES.requests, 'viewer']],
  requestsCsv: [['GET', ROUTES.requestsCsv, 'viewer']],
  requestsNdjson: [['GET', ROUTES.requestsNdjson, 'viewer']],
  requestOf: [['GET', ROUTES.requestOf(ID), 'viewer']],
  againOf: [['POST', ROUTES.againOf(ID), 'member']],
  providers: [['GET', ROUTES.providers, 'viewer']],
  playground: [['POST', ROUTES.playground, 'member']],
  estimate: [['POST', ROUTES.estimate, 'member']],
  keys: [
    ['GET', ROUTES.keys, 'viewer'],
    ['POST', ROUTES.keys, 'owner'],
  ],
  revocationOf: [['POST', ROUTES.revocationOf(ID), 'owner']],
  signing: [['GET', ROUTES.signing, 'viewer']],
  signingEnable: [['POST', ROUTES.signingEnable, 'owner']],
  signingRotate: [['POST', ROUTES.signingRotate, 'owner']],
  signingDisable: [['POST', ROUTES.signingDisable, 'owner']],
  deliveries: [['GET', ROUTES.deliveries, 'viewer']],
  deliveryOf: [['GET', ROUTES.deliveryOf(ID), 'viewer']],
  redeliveryOf: [['POST', ROUTES.redeliveryOf(ID), 'member']],
  testDelivery: [['POST', ROUTES.testDelivery, 'member']],
  queue: [['GET', ROUTES.queue, 'viewer']],
  usage: [['GET', ROUTES.usage, 'viewer']],
  performance: [['GET', ROUTES.performance, 'viewer']],
  status: [['GET', ROUTES.status, 'viewer']],
};
const routes = Object.values(GUARDED).flat();
const send = (visitor: Visitor, [method, path]: Route) => (method === 'GET' ? visitor.get(path) : visitor.post(path));

const people = new Map<Role, Visitor>();
beforeAll(async () => {
  const { accountId } = await stack.tenant();
  for (const role of ['viewer', 'member', 'owner'] as const) people.set(role, await personIn(stack, accountId, role));
});
const as = (role: Role): Visitor => people.get(role) as Visitor;

test.each(routes)('%s %s is nothing for somebody who has not logged in', async (...route) => {
  const { status, body } = await send(new Visitor(stack.dashboardUrl), route);
  expect([status, typeof body.error.message]).toEqual([401, 'string']);
  const forged = Object.assign(new Visitor(stack.dashboardUrl), { cookie: `overheard_session=${'A'.repeat(43)}` });
  expect((await send(forged, route)).status).toBe(401);
});

test.each(routes.filter(([, , least]) => least !== 'viewer'))('%s %s is nothing for a viewer', async (...route) => {
  expect((await send(as('viewer'), route)).status).toBe(403);
});

test.each(routes.filter(([, , least]) => least === 'owner'))('%s %s is nothing for a member', async (...route) => {
  expect((await send(as('member'), route)).status).toBe(403);
});

test.each(routes)('%s %s is let through for a %s', async (...route) => {
  // What becomes of it then other tests say; here it only has to get further than the door.
  const { status } = await send(as(route[2]), route);
  expect([401, 403, 500]).not.toContain(status);
});

describe('an address that does not exist', () => {
  test.each(['/api', '/api/', '/api/nothing', '/api/requests/not-an-id', '/api/keys/x/y', '/assets/missing.js'])('%s', async (path) => {
    const { status, headers, body } = await as('owner').get(path);
    expect([status, headers.get('content-type'), typeof body.error.message]).toEqual([404, 'application/json; charset=utf-8', 'string']);
  });

  test.each([ROUTES.roleOf('x'), ROUTES.removalOf('x'), ROUTES.againOf('x'), ROUTES.revocationOf('x'), ROUTES.redeliveryOf('x')])('POST %s', async (path) => {
    expect((await as('owner').post(path, { role: 'viewer' })).status).toBe(404);
  });
});

test.each(['{', '', 'null', '7', '[]', '"x"', '{"name":{"__proto__":1}}'])('a body like %s is refused, and never our fault', async (text) => {
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  expect((await as('owner').send('POST', ROUTES.keys, text, headers)).status).toBe(400);
});

test('nothing that the API says is kept by a browser or a proxy', async () => {
  for (const path of [ROUTES.session, ROUTES.keys, '/api/nothing']) expect((await as('owner').get(path)).headers.get('cache-control')).toBe('no-store');
});
