import { fieldsOf, listOf, numberOf, textOf } from './json.js';
import type { Citation } from './web-answer.js';

/** The `url_citation` annotations of a text in the order of their places; their fields are flat or nested. */
export function citationsOf(annotations: unknown, text = ''): Citation[] {
  return listOf(annotations)
    .map(fieldsOf)
    .filter(({ type }) => type === 'url_citation')
    .map((annotation) => ({ ...annotation, ...fieldsOf(annotation.url_citation) }) as Record<string, unknown>)
    .flatMap(({ url, title, start_index, end_index }) =>
      textOf(url) ? [{ url: url as string, title: textOf(title), start: numberOf(start_index) ?? 0, end: numberOf(end_index) ?? 0 }] : [],
    )
    .map((citation) => ({ ...citation, label: linkLabel(text.slice(citation.start, citation.end), citation.url) }))
    .sort((a, b) => a.start - b.start);
}

/** The words of the link to an address inside a citation's place, when they are plain. */
function linkLabel(place: string, url: string): string | undefined {
  const end = place.indexOf(`](${url})`);
  const label = end < 0 ? '' : place.slice(place.lastIndexOf('[', end) + 1, end);
  return /^[^*_`\\<&!]+$/.test(label) ? label : undefined;
}
