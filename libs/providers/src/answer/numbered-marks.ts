import type { AnswerPart, Citation, Page } from '../formats/web-answer.js';
import { addressKey, cleanAddress, isWebAddress, linkAddress } from './addresses.js';
import { MARK, withoutMarks } from './citation-marks.js';

// `[3]`, also doubled, linked or `[^3^]`. What stands in code is none, nor is a link's definition such as `[3]: https://…`.
const CODE_OR_MARK = /```[\s\S]*?(?:```|$)|`[^`\n]+`|\[{1,2}\^?([1-9]\d{0,2})\^?\]{1,2}(?:\(https?:[^\s)]*\)|(?!: *<?https?:))/g;

interface LinkedParts {
  parts: AnswerPart[];
  /** How many marks name none of the pages. */
  unresolved: number;
}

/**
 * The parts of an answer whose marks count through a list of pages. Each mark becomes a link that has its source's
 * number, which is given in the order of citation; one that names no page goes.
 */
export function linkNumberedMarks(texts: string[], pages: Page[]): LinkedParts {
  const linkTo = numberedLinks();
  let unresolved = 0;

  const parts = texts.map((markdown) => {
    const citations: Citation[] = [];
    let text = '';
    let words = '';
    let read = 0;
    for (const { 0: mark, 1: number, index } of markdown.matchAll(CODE_OR_MARK)) {
      if (number === undefined) continue;
      const between = markdown.slice(read, index);
      const page = pages[Number(number) - 1];
      text += between;
      words += between + MARK;
      read = index + mark.length;
      if (page && isWebAddress(page.url)) {
        const start = text.length;
        text += linkTo(page);
        citations.push({ ...page, start, end: text.length });
      } else unresolved++;
    }
    const rest = markdown.slice(read);
    return { text: text + rest, words: withoutMarks(words + rest), citations };
  });
  return { parts, unresolved };
}

/** Writes citations as links that have their source's number, which is given in the order of citation. */
export function numberedLinks(label = (number: number) => String(number)): (page: Page) => string {
  const links = new Map<string, string>();
  return ({ url }) => {
    const link = links.get(addressKey(url)) ?? `[${label(links.size + 1)}](${linkAddress(cleanAddress(url))})`;
    links.set(addressKey(url), link);
    return link;
  };
}
