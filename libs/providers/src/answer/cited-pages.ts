import type { AnswerPart, Citation, Page, WebAnswer } from '../formats/web-answer.js';
import { addressKey, cleanAddress, domainOf, isWebAddress, linkAddress } from './addresses.js';
import { unlinkedMarks, withoutPictures, withoutPrivateMarks } from './citation-marks.js';
import { plainText } from './plain-text.js';

interface CitedPage {
  position: number;
  url: string;
  label: string;
  description?: string;
  date?: string;
  /** False for a page that the search found and the text does not cite. */
  cited: boolean;
}

interface CitationPill {
  label: string;
  citationPillId: number;
  url: string;
  domain: string;
  description?: string;
  /** The position of the page it points at. */
  position: number;
}

/** The answer as the model wrote it, its marks as links. */
export function markdownOf(answer: WebAnswer): string {
  const pages = byKey(pagesOf(answer));
  const linkTo = ({ url: cited }: Citation) => {
    const { position, url } = pages.get(addressKey(cited))!;
    return `[${position}](${linkAddress(url)})`;
  };
  return answer.parts.map((part) => withoutPictures(withoutPrivateMarks(withLinks(part, linkTo)))).join('\n\n');
}

/** Goes with the blanks before it. */
const NO_MARK = '\uE200\uE201';

/** A text with a link in the place of each mark that is none yet; one that names no page goes. */
function withLinks({ text, citations }: AnswerPart, linkTo: (citation: Citation) => string): string {
  let linked = '';
  let read = 0;
  for (const mark of unlinkedMarks(text)) {
    const citation = citations.find((citation) => covers(citation, mark) && isWebAddress(citation.url));
    linked += text.slice(read, mark.start) + (citation ? linkTo(citation) : NO_MARK);
    read = mark.end;
  }
  return linked + text.slice(read);
}

const covers = ({ start, end }: Citation, mark: { start: number; end: number }): boolean => start < mark.end && mark.start < end;

/** The answer's words alone. */
export function plainTextOf(answer: WebAnswer): string {
  const marks = marksOf(answer);
  return answer.parts
    .map(({ text, words }) => (words === undefined ? plainText(text, marks) : plainText(words)))
    .join('\n\n')
    .trim();
}

/** The pages behind an answer, each once: the cited ones in the order of the text, then what else the search found. */
export function pagesOf(answer: WebAnswer): CitedPage[] {
  const found = answer.searches.flatMap(({ pages }) => pages).filter(({ url }) => isWebAddress(url));
  const cited = [...citationsOf(answer), ...found.filter((page) => page.cited)];
  const pages = new Map<string, CitedPage>();
  for (const page of [...cited.map((page) => ({ ...page, cited: true })), ...found.map((page) => ({ ...page, cited: false }))]) {
    const key = addressKey(page.url);
    const known = pages.get(key) ?? { position: pages.size + 1, url: cleanAddress(page.url), label: labelOf(page), cited: page.cited };
    pages.set(key, { ...known, ...detailsOf(page), ...detailsOf(known) });
  }
  return [...pages.values()];
}

/** However a citation spells its page's address. */
const byKey = (pages: CitedPage[]): Map<string, CitedPage> => new Map(pages.map((page) => [addressKey(page.url), page]));

/** One pill a citation, in the order of the text. */
export function pillsOf(answer: WebAnswer, pages: CitedPage[]): CitationPill[] {
  const known = byKey(pages);
  return citationsOf(answer).map((citation, index) => {
    const { url, position } = known.get(addressKey(citation.url))!;
    const { description } = detailsOf(citation);
    return { label: labelOf(citation), citationPillId: index + 1, url, domain: domainOf(url), position, ...(description && { description }) };
  });
}

/** What the search was asked, exactly as the upstream tells it. */
export const queriesOf = ({ searches }: WebAnswer): string[] => searches.flatMap(({ queries }) => queries);

/** How many citation marks of the text name no page. */
export const unresolvedMarks = ({ parts }: WebAnswer): number =>
  parts.flatMap(({ text, citations }) => unlinkedMarks(text).filter((mark) => !citations.some((citation) => covers(citation, mark)))).length;

/** The citations that lead to a page, in the order of the text. */
export const citationsOf = ({ parts }: WebAnswer): Citation[] => parts.flatMap(({ citations }) => citations).filter(({ url }) => isWebAddress(url));

/** Which links of the text are marks: those to a cited page, by its marks' own words where every one of its citations has some. */
function marksOf(answer: WebAnswer): { addresses: string[]; labels: Map<string, Set<string>> } {
  const citations = citationsOf(answer);
  const labels = new Map<string, Set<string>>();
  for (const { url, label } of citations) if (label) labels.set(addressKey(url), (labels.get(addressKey(url)) ?? new Set()).add(label));
  for (const { url, label } of citations) if (!label) labels.delete(addressKey(url));
  return { addresses: citations.map(({ url }) => url), labels };
}

/** A title that is only a number is a mark, not a title. */
const labelOf = ({ url, title }: Page): string => (title && !/^\d+$/.test(title) ? title : domainOf(url));

/** What is told about a page besides its name; what is not told is absent. */
const detailsOf = ({ description, date }: Pick<Page, 'description' | 'date'>): { description?: string; date?: string } => ({
  ...(description && { description }),
  ...(date && { date }),
});
