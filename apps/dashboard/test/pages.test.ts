import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { useStack } from '../../../test/stack.js';
import { Visitor } from './visitor.js';

const stack = useStack({ services: ['dashboard'] });
const assets = () => readdirSync(join(import.meta.dirname, '../web/dist/assets'));
const get = (path: string) => new Visitor(stack.dashboardUrl).get(path);

test.each(['/', '/requests', '/requests/some-id?tab=json', '/login'])('%s is the application, asked for anew each time', async (path) => {
  const { status, headers, text } = await get(path);
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, 'text/html; charset=utf-8', 'no-cache']);
  expect(text).toContain('<div id="root">');
});

test('what has a digest in its name is kept for good', async () => {
  const name = assets().find((one) => one.endsWith('.js'));
  const { status, headers } = await get(`/assets/${name}`);
  expect([status, headers.get('cache-control'), headers.get('content-type')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
    'application/javascript; charset=utf-8',
  ]);
});

test.each(['/assets/../../../package.json', '/assets/%2e%2e/%2e%2e/package.json', '/..%2f..%2fpackage.json', '/assets/missing.js'])(
  '%s gives no file away',
  async (path) => {
    expect((await get(path)).text).not.toContain('@overheard/dashboard');
  },
);

test.each(['/', '/api/session', '/api/nothing', '/assets/missing.js'])(
  '%s comes with a policy that lets nothing in from elsewhere, and in no frame',
  async (path) => {
    const { headers } = await get(path);
    const policy = headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy).toEqual(
      expect.arrayContaining([
        `default-src 'none'`,
        `script-src 'self'`,
        `connect-src 'self'`,
        `frame-ancestors 'none'`,
        `base-uri 'none'`,
        `form-action 'self'`,
      ]),
    );
    expect(policy).toContain(`frame-src ${new URL(stack.baseUrl).origin}`);
    expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual(['nosniff', 'no-referrer']);
  },
);

test('the application needs no script in its page, which the policy would refuse', async () => {
  const { text } = await get('/');
  expect(text).toMatch(/<script[^>]+src="/);
  expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+="|javascript:/i);
});
