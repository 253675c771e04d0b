import { googleAddress } from './google-links.js';
import type { GooglePage } from './google-page.js';
import { all, attribute, closest, first, readText, type Element } from './html.js';

export interface RelatedSearch {
  query: string;
  link: string;
}

/** The foot of the page, where the block is; the rest of the page counts only where that holds none. */
const FOOT = '#botstuff, #bres, #brs';
/** Links to further searches that are something else: tabs, filters, entities, parts of answers. */
const ELSEWHERE = [
  '[role="navigation"], [role="menu"], [role="complementary"], [role="tablist"], #rhs, #appbar, #hdtb, footer',
  '#eKIzJc, [data-mcpr], [data-subtree], .related-question-pair, [data-initq], [data-snf], [data-attrid], [data-text-ad], #tads, #tadsb',
].join(', ');
/** `stick` and `si` name an entity, the others a tab, a page or a filter. */
const OTHER_SEARCH = ['stick', 'si', 'start', 'udm', 'tbm', 'uds', 'shoprs', 'mstk'];

/** The searches Google suggests: links that search for the very words they show. */
export function relatedSearches({ column }: GooglePage): RelatedSearch[] {
  const suggestions = all(column, 'a[href]').filter(isSuggestion);
  const foot = suggestions.filter((anchor) => closest(anchor, FOOT));
  const byWords = new Map<string, RelatedSearch>();
  for (const anchor of foot.length ? foot : suggestions) {
    const query = readText(anchor);
    if (!byWords.has(lettersOf(query))) byWords.set(lettersOf(query), { query, link: googleAddress(attribute(anchor, 'href')!) });
  }
  return [...byWords.values()];
}

function isSuggestion(anchor: Element): boolean {
  const href = attribute(anchor, 'href')!;
  if (!/^(?:https?:\/\/(?:www\.)?google\.[a-z.]+)?\/search\?/.test(href)) return false;
  const { searchParams } = new URL(googleAddress(href));
  const words = lettersOf(readText(anchor));
  if (!words || words !== lettersOf(searchParams.get('q') ?? '') || OTHER_SEARCH.some((name) => searchParams.has(name))) return false;
  return !closest(anchor, ELSEWHERE) && !first(anchor, 'img, g-img');
}

const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
    .toLowerCase();
