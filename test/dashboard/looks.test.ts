import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { type Tenant, useStack } from '../stack.js';
import { describePages, logIn, openWindow } from './browser.js';

const stack = useStack({
  services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'dashboard', 'sandbox'],
  env: { PROVIDERS: 'CHATGPT,PERPLEXITY,GOOGLE' },
});

/** For whoever wants to look at them. */
const SCREENSHOTS = join(import.meta.dirname, '../../.local/screenshots');
const THEMES = ['light', 'dark'] as const;
const WIDTHS = [1280, 390] as const;
/** What Core Web Vitals call good. */
const SHIFT_MAX = 0.1;

const ASSISTANT = { html: true, markdown: true, rawResponse: true };

interface Looked {
  page: string;
  problems: string[];
}

describePages('every page, light and dark, wide and narrow', (browser) => {
  let page: Page;
  let faults: string[];
  let tenant: Tenant;
  const ids: Record<string, string> = {};

  /** Asks, and keeps the request's id under a name. */
  const ask = async (name: string, path: string, body: object) => {
    ids[name] = (await tenant.post(`/v1/monitor/${path}`, body)).headers.get('x-request-id') as string;
  };

  beforeAll(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    ({ page, faults } = await openWindow(browser(), stack, { reducedMotion: 'reduce' }));
    // Shifts are added up from the start of each page, but for those that follow what somebody does.
    await page.addInitScript(`
      window.shift = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((entry) => { if (!entry.hadRecentInput) window.shift += entry.value; }))
        .observe({ type: 'layout-shift', buffered: true });
    `);
    tenant = await stack.tenant({ name: 'Northwind Research' }, { name: 'production backend' });
    await stack.anotherKey(tenant.accountId, { name: 'nightly report', scopes: ['tasks:create', 'tasks:read'], test: true });
    const prompt = 'Which travel mug keeps coffee hot longest, and fits into the bottle cage of a bicycle?';
    await Promise.all([
      ask('answer', 'chatgpt', {
        prompt: `${prompt} #shopping #ads #places`,
        country: 'US',
        include: { ...ASSISTANT, shopping: true, ads: true, searchQueries: true },
      }),
      ask('travel', 'perplexity', { prompt: 'hotels in Rome near Termini #hotels #places #images #videos #shopping', country: 'IT', include: ASSISTANT }),
      ask('search', 'google', {
        query: 'running shoes #shopping #ads #aio #paa #videos',
        country: 'DE',
        include: { html: true, aioverview: { markdown: true }, paaAioverview: true },
      }),
      ask('failed', 'chatgpt', { prompt: 'a kettle that is quiet #badkey', country: 'GB' }),
      ask('refused', 'chatgpt', { prompt: '', country: 'GB' }),
      tenant.create({ payload: { prompt: 'a task that is told to nobody', country: 'FR' }, webhook: { url: `${stack.sandboxUrl}/nobody-listens-here` } }),
      tenant.create({ payload: { prompt: 'a task that takes its time #delay=120s', country: 'FR' }, priority: 7 }),
    ]);
    await logIn(page, stack, tenant, 'owner');
    await until('the delivery to be tried', async () => {
      const { body } = await tenant.get('/v1/webhooks/deliveries');
      ids['delivery'] = body.deliveries[0]?.deliveryId;
      return body.deliveries[0]?.attempts.length > 0;
    });
  }, 90_000);

  /** Waits for all that is on its way, and for what was drawn with it. */
  const settle = async () => {
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  };

  /** Looks at a page in every way; gives what is wrong with it. */
  const look = async (name: string, path: string, prepare = async () => {}): Promise<Looked> => {
    const problems: string[] = [];
    faults.length = 0;
    await page.setViewportSize({ width: WIDTHS[0], height: 860 });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settle();
    const shift = (await page.evaluate('window.shift')) as number;
    if (shift > SHIFT_MAX) problems.push(`moves by ${shift.toFixed(3)} while it loads`);
    await prepare();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 860 });
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme });
        const at = `${width} ${colorScheme}`;
        await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true, animations: 'disabled' });
        const tooWide = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
        if (tooWide > 0) problems.push(`${at}: wider than the window by ${tooWide}`);
        // Colours do not depend on the width.
        if (width === 390 && colorScheme === 'dark') continue;
        await page.evaluate(axe.source);
        const violations = (await page.evaluate(
          `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' at ' + nodes.map(({ target }) => target.join(' ')).slice(0, 3).join(', ')))`,
        )) as string[];
        problems.push(...violations.map((violation) => `${at}: ${violation}`));
      }
    }
    problems.push(...faults);
    return { page: name, problems };
  };

  const good = (name: string) => ({ page: name, problems: [] });

  test.each([
    ['requests', '/requests'],
    ['requests-none', '/requests?search=nothing-like-it'],
    ['playground', '/playground'],
    ['keys', '/keys'],
    ['webhooks', '/webhooks'],
    ['queue', '/queue'],
    ['usage', '/usage'],
    ['status', '/status'],
    ['people', '/people'],
    ['audit-log', '/audit-log'],
    ['password', '/password'],
    ['not-found', '/no/such/page'],
  ])('%s is accessible, fits, stands still and asks nothing elsewhere', async (name, path) => {
    expect(await look(name, path)).toEqual(good(name));
  });

  test.each(['answer', 'travel', 'search', 'failed', 'refused'])('so is the request with %s', async (name) => {
    expect(await look(`request-${name}`, `/requests/${ids[name]}`)).toEqual(good(`request-${name}`));
  });

  test('so are a delivery, and an answer as JSON', async () => {
    expect(await look('delivery', `/webhooks/${ids['delivery']}`)).toEqual(good('delivery'));
    const open = () => page.getByRole('tab', { name: 'JSON' }).click();
    expect(await look('request-json', `/requests/${ids['travel']}`, open)).toEqual(good('request-json'));
  });

  test('so are the charts of one provider in each country', async () => {
    const open = () => page.getByRole('radiogroup', { name: 'Compare' }).getByText('Countries').click();
    expect(await look('usage-countries', '/usage', open)).toEqual(good('usage-countries'));
    const success = page.getByRole('img', { name: /^Success of .* by country/ });
    expect(await success.getAttribute('aria-label')).toContain('GB 0 %');
  });

  test('so is a window that asks something', async () => {
    expect(await look('key-new', '/keys', () => page.getByRole('button', { name: 'Create key' }).click())).toEqual(good('key-new'));
  });

  test('so is the login', async () => {
    await page.context().clearCookies();
    expect(await look('login', '/')).toEqual(good('login'));
  });
});
