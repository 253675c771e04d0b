import { UpstreamFailure } from '@overheard/contracts';
import { outsideTarget, isForeign } from './google-links.js';
import { all, attribute, closest, first, parseHtml, readText, scriptsOf, type Document, type Element } from './html.js';

/** A page of Google's that shows what was asked for, be it nothing. */
export interface GooglePage {
  root: Document;
  /** What lists results: the page without its head and tabs. */
  column: Element | Document;
  isDesktop: boolean;
  /** The country its language is of: what a bare `$` means where nobody said which country was asked. */
  region: string | undefined;
  /** The text of its scripts, where Google keeps what a click would show. */
  scripts: string;
}

const CAPTCHA =
  '#captcha-form, #recaptcha, .g-recaptcha, [data-sitekey], form[action*="CaptchaRedirect"], form[action*="/sorry/"], img[src*="/sorry/"], iframe[src*="/recaptcha/"], a[href*="websearch/answer/86640"]';
const CONSENT = 'form[action*="//consent."], base[href*="//consent."], a[href*="//consent."][href*="continue="], iframe[src*="//consent."]';
const LOGIN = 'form[action*="//accounts.google."], form[action*="/signin/"]';
const NEEDS_SCRIPT = 'noscript iframe[src*="/enablejs"], meta[content*="/enablejs"], a[href*="/enablejs"]';

/** What lists results. The frame around them is on empty shells too. */
const RESULTS = '#rso > *, #main a[href^="/url?"], [data-subtree="aimc"], [data-container-id="main-col"]';
const FRAME = '#rcnt, #center_col, #topstuff, #botstuff, #taw, #rso';
/** Google's sentence that names, marked up, the query it found nothing for; suggestions follow in a list without links. */
export const NOTHING_FOUND =
  '#topstuff p:has(em), #botstuff p:has(em), #taw p:has(em), #search p:has(em), #main :is(p, div, span):has(> b, > em, > span > em) ~ ul:not(:has(a))';

/** Reads a page, or says why it is none: a page that blocks us is never a result (decision S20). */
export function readGooglePage(html: string): GooglePage {
  const root = parseHtml(html);
  if (!saysNothingFound(root) && !first(root, RESULTS)) {
    const obstacle = obstacleOf(root);
    if (obstacle) throw new UpstreamFailure('blocked', obstacle);
    if (!first(root, FRAME)) throw new UpstreamFailure('invalid_answer', 'The page is no result page');
  }
  return {
    root,
    column: first(root, '#center_col') ?? first(root, '#main') ?? root,
    isDesktop: first(root, '#rcnt, #search') !== undefined,
    region: regionOf(attribute(first(root, 'html'), 'lang')),
    scripts: scriptsOf(root),
  };
}

function regionOf(language: string | undefined): string | undefined {
  try {
    return language && new Intl.Locale(language).maximize().region;
  } catch {
    return undefined;
  }
}

/** Recognised by structure: their words are in the language of wherever the page was asked from. */
function obstacleOf(root: Document): string | undefined {
  if (first(root, CAPTCHA)) return 'Google asks whether we are a robot';
  if (first(root, CONSENT)) return 'Google asks for consent to cookies';
  if (first(root, LOGIN)) return 'Google asks to sign in';
  // Healthy pages hold that address too.
  if (first(root, FRAME)) return undefined;
  if (first(root, NEEDS_SCRIPT)) return 'Google asks for a browser that runs scripts';
  const [, status] = /\b(4\d\d|5\d\d)\b/.exec(`${readText(first(root, 'title'))} ${readText(first(root, 'b'))}`) ?? [];
  return status && `Google answers with error ${status}`;
}

/** Whether a browser need not wait any longer for a page that scripts may still fill or replace. */
export const SETTLED = [RESULTS, CAPTCHA, CONSENT, LOGIN, NOTHING_FOUND].join(', ');

/** What a page that came with an error status means. */
export function pageFailure(status: number, html: string): UpstreamFailure {
  const obstacle = obstacleOf(parseHtml(html));
  if (status >= 500) return new UpstreamFailure('unavailable', `Google answers with status ${status}`);
  if (obstacle || status === 403 || status === 451) return new UpstreamFailure('blocked', obstacle ?? `Google answers with status ${status}`);
  return new UpstreamFailure(status === 429 ? 'rate_limited' : 'rejected_request', `Google answers with status ${status}`);
}

const saysNothingFound = (root: Document): boolean => all(root, NOTHING_FOUND).some((element) => readText(element) !== '');

const OWN_BLOCKS = '#tads, #tadsb, #bottomads, #rhs, [role="complementary"], [role="navigation"], footer';

/**
 * Throws for a page that was not understood (decision S20): it leads to five or more addresses and none of them was found
 * to be a result, or it shows nothing and does not say so.
 */
export function requireUnderstood({ root, column }: GooglePage, found: number): void {
  if (found > 0) return;
  const listed = all(column, 'a[href]').filter((anchor) => !closest(anchor, OWN_BLOCKS));
  const addresses = new Set(listed.map((anchor) => outsideTarget(attribute(anchor, 'href'))).filter((address) => address && isForeign(address)));
  if (addresses.size >= 5)
    throw new UpstreamFailure('invalid_answer', `The page leads to ${addresses.size} addresses, none of which was understood as a result`);
  if (!saysNothingFound(root)) throw new UpstreamFailure('invalid_answer', 'The page shows nothing and does not say that nothing was found');
}
