import { setTimeout as sleep } from 'node:timers/promises';
import { UpstreamFailure } from '@overheard/contracts';
import type { BrowserContext, CDPSession, Page, Request } from 'playwright-core';

/** Decision L9; of everything a visit receives. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** A page being looked at. */
export interface OpenPage {
  page: Page;
  /** Goes to an address, waits until its document is there, and gives its status. */
  go(url: string): Promise<number>;
  /** Waits until nothing has been on its way for a moment, but no longer than this. */
  quiet(msMax: number): Promise<void>;
  /** The page as it stands, comments included. */
  html(): Promise<string>;
}

/** Opens a page in a context. What goes wrong in it is an `UpstreamFailure`. */
export async function openPage(context: BrowserContext, bytesMax = ANSWER_BYTES_MAX): Promise<OpenPage> {
  const page = await context.newPage();
  page.setDefaultTimeout(0);
  const session = await context.newCDPSession(page);
  await leaveOutPictures(session);
  const size = await watchSize(session, page, bytesMax);
  const quiet = watchTraffic(page);
  return {
    page,
    async go(url) {
      const failed = documentFailure(page);
      try {
        // A document that breaks off never counts as loaded.
        const response = await page.goto(url, { waitUntil: 'commit' });
        await Promise.race([page.waitForLoadState('domcontentloaded'), failed.happens]);
        return response?.status() ?? 200;
      } catch (error) {
        throw size.failure() ?? navigationFailure(error);
      } finally {
        failed.ignore();
      }
    },
    quiet,
    async html() {
      const html = await page.content().catch((error: unknown) => Promise.reject(size.failure() ?? navigationFailure(error)));
      if (html.length > bytesMax) throw tooLarge(bytesMax);
      return html;
    },
  };
}

/** Images, fonts and media are asked for by a page and never read here. */
async function leaveOutPictures(session: CDPSession): Promise<void> {
  session.on('Fetch.requestPaused', ({ requestId }) => void session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(() => {}));
  await session.send('Fetch.enable', { patterns: [{ resourceType: 'Image' }, { resourceType: 'Font' }, { resourceType: 'Media' }] });
}

/** Rejects when the document itself breaks off; one that another takes the place of does not. */
function documentFailure(page: Page): { happens: Promise<never>; ignore(): void } {
  let onFailed: (request: Request) => void = () => {};
  const happens = new Promise<never>((_resolve, reject) => {
    onFailed = (request) => {
      const code = request.failure()?.errorText;
      if (request.isNavigationRequest() && request.frame() === page.mainFrame() && code !== 'net::ERR_ABORTED') reject(new Error(code));
    };
    page.on('requestfailed', onFailed);
  });
  happens.catch(() => {});
  return { happens, ignore: () => void page.off('requestfailed', onFailed) };
}

/** Counts what arrives, and closes the page when that is too much. */
async function watchSize(session: CDPSession, page: Page, bytesMax: number): Promise<{ failure(): UpstreamFailure | undefined }> {
  let bytes = 0;
  session.on('Network.dataReceived', ({ dataLength }) => {
    bytes += dataLength;
    if (bytes > bytesMax) void page.close().catch(() => {});
  });
  await session.send('Network.enable');
  return { failure: () => (bytes > bytesMax ? tooLarge(bytesMax) : undefined) };
}

/** Nothing on its way for so long means that nothing comes. */
const QUIET_MS = 300;
const LOOK_EVERY_MS = 50;

function watchTraffic(page: Page): OpenPage['quiet'] {
  let open = 0;
  let lastAt = Date.now();
  const change = (by: number) => () => {
    open += by;
    lastAt = Date.now();
  };
  page.on('request', change(1));
  page.on('requestfinished', change(-1));
  page.on('requestfailed', change(-1));
  return async (msMax) => {
    const until = Date.now() + msMax;
    while (Date.now() < until && !page.isClosed() && (open > 0 || Date.now() - lastAt < QUIET_MS)) await sleep(LOOK_EVERY_MS);
  };
}

const tooLarge = (bytesMax: number) => new UpstreamFailure('invalid_answer', `The answer is larger than ${bytesMax} bytes`);

/** What an error of the browser's means: its own words name the network's. */
function navigationFailure(error: unknown): UpstreamFailure {
  const message = error instanceof Error ? error.message : String(error);
  const [code] = /net::ERR_[A-Z_]+/.exec(message) ?? [];
  const what = code ? `The page could not be fetched (${code})` : 'The browser closed the page';
  return new UpstreamFailure(/TIMED_OUT/.test(message) ? 'timeout' : 'unavailable', what, { cause: error });
}
