import { addressKey } from '../answer/addresses.js';
import { isForeign, outsideTarget } from './google-links.js';
import { NO_RESULTS } from './google-organic.js';
import type { GooglePage } from './google-page.js';
import { all, attribute, closest, readText } from './html.js';

/** An address as it is shown under a title: whatever is listed has one, in every year and on every device. */
const SHOWN_ADDRESS = 'cite, [role="text"]';
/**
 * How many results a page visibly lists that were not extracted: links under which their own address is shown, as it is
 * under a result. It tells a layout that is understood in part, which no error would.
 */
export function missedResults({ column }: GooglePage, links: string[]): number {
  const known = new Set(links.map(addressKey));
  const missed = new Set<string>();
  for (const shown of all(column, SHOWN_ADDRESS)) {
    const target = outsideTarget(attribute(closest(shown, 'a[href]'), 'href'));
    if (!target || !isForeign(target) || known.has(addressKey(target)) || closest(shown, NO_RESULTS)) continue;
    if (/\p{L}\.\p{L}/u.test(readText(shown))) missed.add(addressKey(target));
  }
  return missed.size;
}

/** How many articles the news tab visibly lists that were not extracted: what Google numbers as one, with a link outside. */
export function missedArticles({ column }: GooglePage, links: string[]): number {
  const known = new Set(links.map(addressKey));
  const listed = all(column, '[data-news-doc-id] a[href], a[href][data-news-doc-id]').map((anchor) => outsideTarget(attribute(anchor, 'href')));
  return new Set(listed.filter((target) => target && isForeign(target) && !known.has(addressKey(target))).map((target) => addressKey(target!))).size;
}
