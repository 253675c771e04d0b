import { beforeAll, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { type Tenant, useStack } from '../../../../test/stack.js';

const RETENTION_MS = 6000;

const stack = useStack({ env: { HTML_RETENTION: `${RETENTION_MS}ms` } });
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant()));

test('a stored page is read by whoever has its address, without harm, until it expires', async () => {
  const { body } = await tenant.ask({ prompt: 'Which <b>kettle</b> & "pot"?', include: { html: true } });
  const made = Date.now();
  const address = body.result.html;
  expect(address).toMatch(new RegExp(`^${stack.baseUrl}/html/[A-Za-z0-9_-]{32}$`));
  const page = await fetch(address);
  expect(page.status).toBe(200);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
  });
  const html = await page.text();
  expect(html).toMatch(/^<!doctype html>/i);
  expect(html).not.toContain('<b>kettle</b>');

  const gone = await until('the page to expire', async () => {
    const reply = await fetch(address);
    return reply.status === 404 && reply;
  });
  expect(Date.now() - made).toBeGreaterThan(RETENTION_MS - 3000);
  expect(await gone.json()).toMatchObject({ error: { code: 'RESOURCE_NOT_FOUND' } });
});

test('each answer has a page of its own', async () => {
  const replies = await Promise.all([0, 1].map(() => tenant.ask({ include: { html: true } })));
  const [one, two] = replies.map(({ body }) => body.result.html);
  expect(one).not.toBe(two);
});
