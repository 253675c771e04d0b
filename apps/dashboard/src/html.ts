/** HTML that needs no escaping any more. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | null | undefined | Html | Part[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(render).join('');
  return String(part ?? '').replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** A template whose values are escaped, unless they are HTML themselves. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(texts.reduce((page, text, index) => page + render(parts[index - 1]) + text));
