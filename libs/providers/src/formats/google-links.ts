import { isWebAddress } from '../answer/addresses.js';

const GOOGLE_SEARCH = /^(?:www\.|m\.)?google\.[a-z]{2,3}(?:\.[a-z]{2})?$/;
/** Google's pages that lead on to results. Its other pages can be results: they are told apart by path, never by host. */
const ONWARD = /^\/(?:$|search|url|aclk|goto|imgres|images|webhp|preferences|advanced_search|setprefs|sorry|async|httpservice)(?:$|[/?])/;

const AD_COUNTER = /(?:^|\.)googleadservices\.com$/;
/** With a query these are further searches: on the map, for a journey, in shops. */
const OTHER_SEARCH = /^(?:maps\.google\.|www\.google\.[a-z.]+\/(?:maps|travel|flights|shopping))/;

/** Where a link of a Google page leads, Google's own redirects resolved; undefined when that is no page outside the search. */
export function outsideTarget(href: string | undefined): string | undefined {
  const target = href && resolveRedirect(href);
  if (!target || !isWebAddress(target)) return undefined;
  const { hostname, pathname, search } = new URL(target);
  const leadsOn = GOOGLE_SEARCH.test(hostname) && ONWARD.test(pathname);
  return leadsOn || AD_COUNTER.test(hostname) || (OTHER_SEARCH.test(hostname + pathname) && search) ? undefined : target;
}

/** `/url?q=ADDRESS` and its kin; anything else as it is. */
function resolveRedirect(href: string): string | undefined {
  if (!/^(?:https?:\/\/(?:www\.)?google\.[a-z.]+)?\/(?:url|interstitial)\?/.test(href)) return href;
  const { searchParams } = new URL(href, 'https://www.google.com');
  return searchParams.get('q') ?? searchParams.get('url') ?? undefined;
}

/** Whether an address has nothing to do with Google. */
export const isForeign = (address: string): boolean =>
  !/(?:^|\.)(?:google\.[a-z.]+|gstatic\.com|googleusercontent\.com|googleadservices\.com)$/.test(new URL(address).hostname);

/** The complete address of one of Google's own pages, such as a further search. */
export const googleAddress = (href: string): string => new URL(href, 'https://www.google.com').href;

/** Whether a link leads by way of Google's counter of clicks on advertisements. */
export const isAdClick = (href: string | undefined): boolean =>
  href !== undefined && /(?:^|google\.[a-z.]+|googleadservices\.com|\/pagead)\/(?:pagead\/)?aclk\?/.test(href);
