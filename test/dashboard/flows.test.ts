import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Tenant, useStack } from '../stack.js';
import { describePages, logIn, openWindow, PASSWORD } from './browser.js';

const stack = useStack({
  services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'dashboard', 'sandbox'],
  env: { PROVIDERS: 'CHATGPT,GOOGLE' },
});

describePages('the dashboard', (browser) => {
  let page: Page;
  let faults: string[];
  let tenant: Tenant;
  beforeAll(async () => {
    ({ page, faults } = await openWindow(browser(), stack));
  });
  beforeEach(() => {
    faults.length = 0;
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const link = (name: string | RegExp) => page.getByRole('link', { name });
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
  const said = (text: string | RegExp) => page.getByText(text).first();
  const secret = () => page.getByTestId('secret');
  /** Whose account it is from now on. */
  const enter = async (role: 'owner' | 'member' | 'viewer', who: Tenant) => {
    await page.context().clearCookies();
    return logIn(page, stack, who, role);
  };
  const ask = (prompt: string, more: object = {}) => tenant.post('/v1/monitor/chatgpt', { prompt, country: 'US', ...more });

  test('whoever comes first sets it up and is its owner', async () => {
    await page.goto('/');
    await page.getByLabel('Name of the account').fill('First account');
    await page.getByLabel('Your e-mail address').fill('first@example.com');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await button('Create the account').click();
    await said('Use at least 12 characters.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await button('Create the account').click();
    await heading('Requests').waitFor();
    await said('Nothing was asked yet').waitFor();
    await link('People').waitFor();
  });

  test('a wrong password is said, and logging out ends the session', async () => {
    await button(/Logged in as first@example.com/).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByLabel('E-mail address').fill('first@example.com');
    await page.getByLabel('Password', { exact: true }).fill('not the right one');
    await button('Log in').click();
    await page.getByRole('alert').waitFor();
    await page.goto('/keys');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  test('a failed request is found, understood and run again', async () => {
    tenant = await stack.tenant({ name: 'Northwind Research' }, { name: 'production backend' });
    await Promise.all([ask('which kettle is quiet'), ask('kettle with a timer #badkey')]);
    await enter('owner', tenant);
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.waitForURL(/status=failed/);
    await link('which kettle is quiet').waitFor({ state: 'detached' });
    await expect(page.getByRole('table').getByRole('link').count()).resolves.toBe(1);
    await link('kettle with a timer #badkey').click();
    await said('The upstream refused the operator’s credentials.').waitFor();
    await said('reason: rejected_credentials').waitFor();
    await said(/Attempt 1: rejected credentials/).waitFor();
    const before = page.url();
    await button('Run again').click();
    await page.waitForURL((url) => url.href !== before);
    await said('The upstream refused the operator’s credentials.').waitFor();
    expect(faults).toEqual([]);
  });

  test('a new request is in the list within two seconds', async () => {
    const { page: watched } = await openWindow(browser(), stack);
    await watched.clock.install();
    await logIn(watched, stack, tenant, 'member');
    await watched.getByRole('link', { name: 'which kettle is quiet' }).waitFor();
    // Its time stands still from now on but for what the test gives it, so that nothing depends on how fast this machine is.
    await watched.clock.pauseAt(Date.now() + 60_000);
    await ask('a kettle that comes in late');
    const seen = watched.waitForResponse(async (response) => response.url().includes('/api/requests?') && (await response.text()).includes('comes in late'));
    await watched.clock.runFor(2000);
    await seen;
    // What came is shown by timers too.
    await watched.clock.runFor(100);
    await watched.getByRole('link', { name: 'a kettle that comes in late' }).waitFor();
    await watched.context().close();
  });

  test('the list is searched by words and by id, and exported as it is filtered', async () => {
    const { headers } = await ask('a teapot of cast iron');
    await page.goto('/requests');
    await page.getByRole('searchbox').fill('teapot');
    await link('a teapot of cast iron').waitFor();
    await link('which kettle is quiet').waitFor({ state: 'detached' });
    const id = headers.get('x-request-id') as string;
    for (const [name, isWhole] of [
      [/CSV/, (text: string) => text.split('\n')[0]?.includes('statusCode') && text.includes(id)],
      [/NDJSON/, (text: string) => JSON.parse(text).id === id],
    ] as const) {
      await button('Export').click();
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name }).click();
      const text = await readFile(await (await download).path(), 'utf8');
      expect([isWhole(text), text.includes('kettle')]).toEqual([true, false]);
    }
    await page.getByRole('searchbox').fill(id);
    await link('a teapot of cast iron').waitFor();
    await page.getByRole('searchbox').fill('no such words anywhere');
    await said('No request is like that').waitFor();
    await button('Clear the filters').click();
    await link('which kettle is quiet').waitFor();
  });

  test('the playground shows the price, then the answer, whose citations lead to their sources and back', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Playground' }).click();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('which travel mug is best #shopping');
    await said('Costs 5 credits').waitFor();
    await page.getByRole('switch', { name: /include.shopping/ }).check();
    await said('Costs 7 credits').waitFor();
    await page.keyboard.press('Tab');
    await button('Send').click();
    await page.getByRole('status').getByText('200').waitFor();
    await said(/7 credits/).waitFor();
    await page.getByRole('region', { name: 'Products', exact: true }).waitFor();

    const pill = page.getByRole('button', { name: /\(source 1: / }).first();
    await pill.hover();
    await page.getByRole('tooltip').waitFor();
    await pill.focus();
    await page.keyboard.press('Enter');
    await expect(page.locator(':focus').getAttribute('data-position')).resolves.toBe('1');
    await button('Back to the text').click();
    await expect(page.locator(':focus').textContent()).resolves.toContain('source 1');

    await page.getByRole('tab', { name: 'JSON' }).click();
    await said('citationPills:').waitFor();
    expect(faults).toEqual([]);
  });

  test('a request goes back into the playground as it was', async () => {
    await page.goto('/requests');
    await link('a teapot of cast iron').click();
    await link('Edit in the playground').click();
    await page.getByRole('textbox', { name: 'Prompt' }).waitFor();
    await expect(page.getByRole('textbox', { name: 'Prompt' }).inputValue()).resolves.toBe('a teapot of cast iron');
  });

  test('stored HTML is shown in a frame that may do nothing, raw events one by one', async () => {
    const { headers } = await ask('html of a mug', { include: { html: true, rawResponse: true } });
    await page.goto(`/requests/${headers.get('x-request-id')}`);
    await page.getByRole('tab', { name: 'Stored HTML' }).click();
    await page.frameLocator('iframe').getByText('In United States').first().waitFor();
    await expect(page.locator('iframe').getAttribute('sandbox')).resolves.toBe('');
    await page.getByRole('tab', { name: /Raw events \(\d+\)/ }).click();
    await said('0:').waitFor();
  });

  test('a key is shown once, opens the API, and is refused once revoked', async () => {
    await link('API keys').click();
    await button('Create key').click();
    await page.getByLabel('Name').fill('nightly report');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const key = (await secret().textContent()) as string;
    expect(key).toMatch(/^sk_live_/);
    expect((await stack.as(key).get('/v1/async/status')).status).toBe(200);
    await button('I have stored it').click();
    await page.reload();
    await said('nightly report').waitFor();
    expect(await page.content()).not.toContain(key);
    await button('Revoke nightly report').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await said(/nightly report is revoked/).waitFor();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect((await stack.as(key).get('/v1/async/status')).status).toBe(401);
  });

  test('signing is turned on, rotated and turned off, and each secret is shown once', async () => {
    await link('Webhooks').click();
    await button('Turn on').click();
    const first = await secret().textContent();
    expect(first).toMatch(/^whsec_/);
    await button('I have stored it').click();
    await button('Rotate secret').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog', { name: 'Signing secret', exact: true }).waitFor();
    const second = await secret().textContent();
    expect([second?.startsWith('whsec_'), second === first]).toEqual([true, false]);
    await button('I have stored it').click();
    await page.reload();
    await button('Turn off').waitFor();
    expect(await page.content()).not.toContain('whsec_');
    await button('Turn off').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
    await button('Turn on').waitFor();
  });

  test('a delivery is logged with every attempt, and sent again', async () => {
    await page.getByLabel('Address of the receiver').fill(`${stack.sandboxUrl}/nobody-listens-here`);
    await button('Send a test').click();
    await said(/404 in /).waitFor();
    await button(/^Redeliver to/).click();
    await page.getByRole('link', { name: /nobody-listens-here/ }).click();
    await heading('Delivery').waitFor();
    await page.getByRole('cell', { name: 'Answered 404' }).nth(1).waitFor();
  });

  test('an owner adds a viewer, who sees everything and no way to act', async () => {
    await link('People').click();
    await button('Add somebody').click();
    await page.getByLabel('E-mail address').fill('viewer@example.com');
    await page.getByLabel('First password').fill(PASSWORD);
    await page.getByRole('combobox', { name: 'Role', exact: true }).click();
    await page.getByRole('option', { name: 'Viewer' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await said('viewer@example.com can log in now.').waitFor();
    await link('Audit log').click();
    await said('added a person').waitFor();
    await said('ran a request again').waitFor();

    await enter('viewer', tenant);
    await expect(page.getByRole('navigation').getByRole('link').allTextContents()).resolves.toEqual([
      ...['Requests', 'Usage', 'API keys', 'Webhooks', 'Queue', 'Status'],
    ]);
    await link('which kettle is quiet').click();
    await button('Copy as curl').waitFor();
    await expect(page.getByRole('button', { name: /Run again/ }).count()).resolves.toBe(0);
    await link('API keys').click();
    await said('production backend').waitFor();
    await expect(page.getByRole('button', { name: /Create key|Revoke/ }).count()).resolves.toBe(0);
    await link('Webhooks').click();
    await said('Test delivery').waitFor({ state: 'detached' });
    await expect(page.getByRole('button', { name: /Turn|Rotate|Redeliver|Send/ }).count()).resolves.toBe(0);
  });

  test('a first visit loads less than 300 kB of script', async () => {
    const { page: fresh } = await openWindow(browser(), stack);
    const sizes: Promise<number>[] = [];
    fresh.on('response', (response) => {
      if (response.request().resourceType() === 'script') sizes.push(response.body().then((body) => gzipSync(body).length));
    });
    await logIn(fresh, stack, tenant, 'member');
    await fresh.getByRole('link', { name: 'which kettle is quiet' }).waitFor();
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(100_000);
    expect(total).toBeLessThan(300_000);
  });
});
