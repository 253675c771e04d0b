import { UpstreamFailure } from '@overheard/contracts';
import { chromium, devices, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core';
import { type BrowserSettings, browserLacks, localChromium } from './settings.js';
import { Slots } from './slots.js';

export type Device = 'desktop' | 'mobile';

/** Who seems to look at a page, and from where. */
export interface Visitor {
  device: Device;
  /** A language tag, such as `de-DE`. */
  locale: string;
  /** The country whose proxy is taken; none for a page of our own. */
  proxyCountry: string | undefined;
}

const LAUNCH_FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

const DEVICES: Record<Device, BrowserContextOptions> = {
  desktop: { viewport: { width: 1366, height: 900 } },
  // Its viewport, touch and user agent are what a site knows a phone by.
  mobile: devices['Pixel 7'] ?? {},
};

interface Launched {
  browser: Browser;
  visits: number;
  open: number;
  /** No further visits: closed when the last one is over. */
  retired: boolean;
}

/**
 * A Chromium and the visits that go on in it, each in a clean context of its own. So many at a time; the browser is
 * started when first needed, anew when it died, and anew after so many visits.
 */
export class BrowserPool {
  readonly #settings: BrowserSettings;
  readonly #slots: Slots;
  #current: Promise<Launched> | undefined;

  constructor(settings: BrowserSettings) {
    this.#settings = settings;
    this.#slots = new Slots(settings.BROWSER_CONTEXTS);
  }

  /** Runs a visit. The context is gone when this resolves or rejects; an abort rejects with its reason within a moment. */
  async visit<Result>(visitor: Visitor, signal: AbortSignal, work: (context: BrowserContext) => Promise<Result>): Promise<Result> {
    await this.#slots.take(signal);
    const visit = this.#open(visitor, signal, work).finally(() => this.#slots.release());
    return untilAborted(visit, signal);
  }

  /** Ends the browser; a later visit starts another one. */
  async close(): Promise<void> {
    const launched = this.#current;
    this.#current = undefined;
    await (await launched?.catch(() => undefined))?.browser.close().catch(() => {});
  }

  async #open<Result>(visitor: Visitor, signal: AbortSignal, work: (context: BrowserContext) => Promise<Result>): Promise<Result> {
    const launched = await this.#join();
    try {
      signal.throwIfAborted();
      const context = await launched.browser.newContext(this.#contextOptions(visitor));
      // Ends whatever the work waits for.
      const end = () => void context.close().catch(() => {});
      signal.addEventListener('abort', end, { once: true });
      try {
        return await work(context);
      } finally {
        signal.removeEventListener('abort', end);
        await context.close().catch(() => {});
      }
    } catch (error) {
      if (launched.browser.isConnected() || signal.aborted || error instanceof UpstreamFailure) throw error;
      throw new UpstreamFailure('unavailable', 'Chromium ended amid a visit', { cause: error });
    } finally {
      this.#leave(launched);
    }
  }

  #contextOptions({ device, locale, proxyCountry }: Visitor): BrowserContextOptions {
    const proxy = proxyCountry && proxyOf(this.#settings.PROXY_URL_TEMPLATE, proxyCountry);
    return { ...DEVICES[device], locale, serviceWorkers: 'block', ...(proxy && { proxy }) };
  }

  /** Gives a browser in which a visit may begin, and counts that visit. */
  async #join(): Promise<Launched> {
    const current = (this.#current ??= this.#launch());
    const launched = await current.catch((error: unknown) => {
      this.#forget(current);
      throw error;
    });
    if (!launched.browser.isConnected() || launched.retired) {
      this.#forget(current);
      return this.#join();
    }
    launched.visits += 1;
    launched.open += 1;
    return launched;
  }

  /** Several visits may find the same browser dead or retired; only the first one may make room for another. */
  #forget(launched: Promise<Launched>): void {
    if (this.#current === launched) this.#current = undefined;
  }

  async #launch(): Promise<Launched> {
    const lacks = browserLacks(this.#settings);
    if (lacks) throw new UpstreamFailure('unavailable', lacks);
    try {
      return { browser: await start(this.#settings), visits: 0, open: 0, retired: false };
    } catch (error) {
      throw new UpstreamFailure('unavailable', `Chromium did not start: ${(error as Error).message.split('\n')[0]}`, { cause: error });
    }
  }

  #leave(launched: Launched): void {
    launched.open -= 1;
    if (launched.visits >= this.#settings.BROWSER_PAGES_PER_LAUNCH) launched.retired = true;
    if (launched.retired && launched.open === 0) void launched.browser.close().catch(() => {});
  }
}

async function start(settings: BrowserSettings): Promise<Browser> {
  if (settings.BROWSER_WS_ENDPOINT) return chromium.connectOverCDP(settings.BROWSER_WS_ENDPOINT);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) warnOnce('Chromium runs without its sandbox, because this process is root. Run the worker as another user.');
  return chromium.launch({
    executablePath: localChromium(settings)!,
    args: LAUNCH_FLAGS,
    chromiumSandbox: !isRoot,
    // The worker itself ends in order on these.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

let warned = false;

function warnOnce(message: string): void {
  if (!warned) process.emitWarning(message);
  warned = true;
}

function proxyOf(template: string | undefined, country: string): { server: string; username?: string; password?: string } | undefined {
  if (!template) return undefined;
  const { protocol, host, username, password } = new URL(template.replaceAll('{country}', country.toLowerCase()));
  return { server: `${protocol}//${host}`, ...(username && { username: decodeURIComponent(username), password: decodeURIComponent(password) }) };
}

/** Waits for something no longer than until the abort, whose reason is thrown; what happens to the rest then is nobody's concern. */
async function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  promise.catch(() => {});
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const pools = new Map<string, { pool: BrowserPool; users: number }>();

/** The pool for these settings, one for all engines of a process; each `close` of a taker counts, the last one ends it. */
export function sharedPool(settings: BrowserSettings): { pool: BrowserPool; release(): Promise<void> } {
  const key = JSON.stringify(settings);
  const shared = pools.get(key) ?? { pool: new BrowserPool(settings), users: 0 };
  pools.set(key, shared);
  shared.users += 1;
  return {
    pool: shared.pool,
    async release() {
      shared.users -= 1;
      if (shared.users === 0) await shared.pool.close();
    },
  };
}
