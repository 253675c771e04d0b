import { isWebAddress } from '../../answer/addresses.js';
import type { GroundedAnswer } from '../extract/grounded.js';

const REDIRECT = 'https://vertexaisearch.cloud.google.com/grounding-api-redirect/';
const REDIRECTS_MAX = 50;
const WITHIN_MS = 5000;

/** The answer with the addresses that its redirects lead to; one that does not tell within five seconds stays as it is. */
export async function resolveRedirects(answer: GroundedAnswer, signal: AbortSignal, lookUp = locationOf): Promise<GroundedAnswer> {
  const pages = [...answer.parts.flatMap(({ citations }) => citations), ...answer.searches.flatMap((search) => search.pages)];
  const redirects = [...new Set(pages.map(({ url }) => url))].filter((url) => url.startsWith(REDIRECT)).slice(0, REDIRECTS_MAX);
  const within = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
  const known = new Map(await Promise.all(redirects.map(async (url) => [url, await lookUp(url, within)] as const)));
  const resolved = <Page extends { url: string }>(page: Page): Page => ({ ...page, url: known.get(page.url) ?? page.url });
  return {
    ...answer,
    parts: answer.parts.map((part) => ({ ...part, citations: part.citations.map(resolved) })),
    searches: answer.searches.map((search) => ({ ...search, pages: search.pages.map(resolved) })),
  };
}

/** Where a redirect leads; it is not followed there. */
export async function locationOf(url: string, signal: AbortSignal): Promise<string | undefined> {
  const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal }).catch(() => undefined);
  const location = response?.headers.get('location') ?? '';
  return isWebAddress(location) ? location : undefined;
}
