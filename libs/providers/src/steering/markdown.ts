import type { Content, Passage, Source } from './content.js';

/** A citation inside a written answer, by its place in the text. */
export interface Mark {
  start: number;
  end: number;
  /** Where the passage that it vouches for begins. */
  passageStart: number;
  /** The source's index in the content. */
  index: number;
  source: Source;
}

/** Writes content as an assistant's Markdown. `mark` is how this upstream cites a source, `gap` what stands before it. */
export function writeMarkdown(content: Content, { mark, gap }: { mark(source: Source, index: number): string; gap: string }): { text: string; marks: Mark[] } {
  const marks: Mark[] = [];
  let text = '';

  const write = (prefix: string, { lead, text: words, cites }: Passage) => {
    text += prefix;
    const passageStart = text.length;
    text += `**${lead}**, ${words}`;
    for (const index of cites) {
      const source = content.sources[index];
      if (!source) continue;
      text += gap;
      const start = text.length;
      text += mark(source, index);
      marks.push({ start, end: text.length, passageStart, index, source });
    }
  };

  text += `## ${content.topic}\n\n`;
  write('', content.intro);
  text += '\n';
  for (const point of content.points) write('\n- ', point);
  write('\n\n', content.outro);
  const [first] = content.sources;
  // A link that is no citation: it belongs to the words, and leads to no source.
  if (first) text += `\n\n*More* at [${first.site}](https://${first.domain}/about).`;
  return { text, marks };
}
