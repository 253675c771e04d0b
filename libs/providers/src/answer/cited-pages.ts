import type { Citation, WebAnswer } from '../formats/web-answer.js';
import { addressKey, cleanAddress, domainOf, isWebAddress } from './addresses.js';
import { unlinkedMarks } from './citation-marks.js';
import { plainText } from './plain-text.js';

interface CitedPage {
  position: number;
  url: string;
  label: string;
  /** False for a page that the search found and the text does not cite. */
  cited: boolean;
}

interface CitationPill {
  label: string;
  citationPillId: number;
  url: string;
  domain: string;
  /** The position of the page it points at. */
  position: number;
}

/** The answer as the model wrote it. */
export const markdownOf = ({ parts }: WebAnswer): string => parts.map(({ text }) => text).join('\n\n');

/** The answer's words alone. */
export function plainTextOf(answer: WebAnswer): string {
  const addresses = citationsOf(answer).map(({ url }) => url);
  return answer.parts
    .map(({ text }) => plainText(text, { addresses }))
    .join('\n\n')
    .trim();
}

/** The pages behind an answer, each once: the cited ones in the order of the text, then what else the search found. */
export function pagesOf(answer: WebAnswer): CitedPage[] {
  const found = answer.searches.flatMap(({ pages }) => pages).filter(({ url }) => isWebAddress(url));
  const pages = new Map<string, CitedPage>();
  for (const { url, title, cited } of [...citationsOf(answer).map((page) => ({ ...page, cited: true })), ...found.map((page) => ({ ...page, cited: false }))]) {
    const key = addressKey(url);
    if (!pages.has(key)) pages.set(key, { position: pages.size + 1, url: cleanAddress(url), label: labelOf(url, title), cited });
  }
  return [...pages.values()];
}

/** One pill a citation, in the order of the text. */
export function pillsOf(answer: WebAnswer, pages: CitedPage[]): CitationPill[] {
  const byKey = new Map(pages.map((page) => [addressKey(page.url), page]));
  return citationsOf(answer).map((citation, index) => {
    const { url, position } = byKey.get(addressKey(citation.url))!;
    return { label: labelOf(url, citation.title), citationPillId: index + 1, url, domain: domainOf(url), position };
  });
}

/** What the search was asked, exactly as the upstream tells it. */
export const queriesOf = ({ searches }: WebAnswer): string[] => searches.flatMap(({ queries }) => queries);

/** How many citation marks of the text name no page. */
export const unresolvedMarks = ({ parts }: WebAnswer): number =>
  parts.flatMap(({ text, citations }) => unlinkedMarks(text).filter((mark) => !citations.some(({ start, end }) => start < mark.end && mark.start < end)))
    .length;

const citationsOf = ({ parts }: WebAnswer): Citation[] => parts.flatMap(({ citations }) => citations).filter(({ url }) => isWebAddress(url));

/** A title that is only a number is a mark, not a title. */
const labelOf = (url: string, title: string | undefined): string => (title && !/^\d+$/.test(title) ? title : domainOf(url));
