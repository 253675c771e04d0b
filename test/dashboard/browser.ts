import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import { createPerson } from '@overheard/database';
import { browserLacks, browserSettings, localChromium } from '@overheard/providers/browser/settings';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Stack, Tenant } from '../stack.js';

export const PASSWORD = 'a password of some length';
/** A browser on a machine that does other things too. */
const WITHIN_MS = 40_000;
jest.setTimeout(120_000);

const settings = browserSettings.parse(process.env);

/** A suite about the pages; skipped, and the reason told, where there is no browser. */
export function describePages(name: string, suite: (browser: () => Browser) => void): void {
  const lacks = browserLacks(settings);
  if (lacks) return describe.skip(`${name} (skipped: ${lacks})`, () => suite(() => undefined as never));
  describe(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({
        executablePath: localChromium(settings) as string,
        args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
      });
    }, 30_000);
    afterAll(() => browser?.close());
    suite(() => browser);
  });
}

/** A window of its own on the dashboard, with what went wrong in it. */
export async function openWindow(browser: Browser, stack: Stack, options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ baseURL: stack.dashboardUrl, viewport: { width: 1280, height: 860 }, ...options });
  context.setDefaultTimeout(WITHIN_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(stack.dashboardUrl) && !request.isNavigationRequest()) faults.push(`asked elsewhere: ${request.url()}`);
  });
  return { page, faults };
}

/** Somebody of an account who has logged in, at the list of requests. */
export async function logIn(page: Page, stack: Stack, { accountId }: Tenant, role: 'owner' | 'member' | 'viewer'): Promise<string> {
  const email = `${role}-${accountId.slice(0, 8)}@example.com`;
  await createPerson(stack.database, { email, password: PASSWORD, accountId, role });
  await page.goto('/');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
  return email;
}
