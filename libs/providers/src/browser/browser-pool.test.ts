import { expect, it } from '@jest/globals';
import { replayUpstream } from '../replay-upstream.js';
import { BrowserPool, type Visitor } from './browser-pool.js';
import { browserSettings } from './settings.js';
import { openPage } from './visit-page.js';
import { describeWithChromium } from './with-chromium.js';

const testBrowser = browserSettings.parse(process.env);
const visitor: Visitor = { device: 'desktop', locale: 'de-DE', proxyCountry: undefined };
const html = { headers: { 'content-type': 'text/html' } };
const soon = () => AbortSignal.timeout(20_000);

describeWithChromium(testBrowser, 'the browser pool', () => {
  it('opens each visit in a clean context, in the language asked for, without pictures', async () => {
    await using upstream = await replayUpstream({
      ...html,
      body: '<img src="/picture.png"><script>document.cookie="seen=1"; document.body.append(navigator.language)</script>',
    });
    const pool = new BrowserPool({ ...testBrowser, BROWSER_CONTEXTS: 2 });
    const look = () =>
      pool.visit(visitor, soon(), async (context) => {
        const page = await openPage(context);
        await page.go(upstream.url);
        await page.quiet(2000);
        return page.html();
      });
    const [first] = await Promise.all([look(), look(), look()]);
    await pool.close();
    expect(first).toContain('de-DE');
    expect(upstream.requests.map(({ path, headers }) => [path, headers.cookie, headers['accept-language']?.slice(0, 5)])).toEqual(
      Array(3).fill(['/', undefined, 'de-DE']),
    );
  }, 30_000);

  it('starts the browser anew when it died, and after so many visits', async () => {
    const pool = new BrowserPool({ ...testBrowser, BROWSER_PAGES_PER_LAUNCH: 2 });
    const browser = () => pool.visit(visitor, soon(), async (context) => context.browser()!);
    const first = await browser();
    await first.close();
    const second = await browser();
    const third = await browser();
    const fourth = await browser();
    await pool.close();
    expect([second === first, third === second, fourth === third]).toEqual([false, true, false]);
    expect([second.isConnected(), fourth.isConnected()]).toEqual([false, false]);
  }, 30_000);

  it('refuses more than it may hold in memory', async () => {
    await using upstream = await replayUpstream({ ...html, body: `<p>${'x'.repeat(300_000)}</p>` });
    const pool = new BrowserPool(testBrowser);
    const read = pool.visit(visitor, soon(), async (context) => {
      const page = await openPage(context, 100_000);
      await page.go(upstream.url);
      return page.html();
    });
    await expect(read).rejects.toMatchObject({ reason: 'invalid_answer' });
    await pool.close();
  }, 30_000);

  it('says that nobody answers', async () => {
    const pool = new BrowserPool(testBrowser);
    const read = pool.visit(visitor, soon(), async (context) => (await openPage(context)).go('http://127.0.0.1:9/'));
    await expect(read).rejects.toMatchObject({ reason: 'unavailable' });
    await pool.close();
  }, 30_000);
});

it('a browser that does not start is unavailable', async () => {
  const pool = new BrowserPool({ ...testBrowser, CHROMIUM_PATH: '/bin/false', BROWSER_WS_ENDPOINT: undefined });
  await expect(pool.visit(visitor, soon(), async () => {})).rejects.toMatchObject({ reason: 'unavailable' });
}, 30_000);
