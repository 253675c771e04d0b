import type { SandboxNote } from '../../sandbox.js';
import { contentOf, type Content } from '../../steering/content.js';
import { writeMarkdown } from '../../steering/markdown.js';
import type { Steering } from '../../steering/steering.js';

const WORDS_PER_CHUNK = 6;

/** What Perplexity says to a prompt, before one of its formats clothes it. */
export interface Draft {
  content: Content;
  /** The answer with `[n]` marks, which count through the content's sources. */
  text: string;
  chunks: string[];
}

export function draftOf({ country = 'US' }: SandboxNote, { text: prompt, nonce, empty }: Steering): Draft {
  const content = contentOf({ text: prompt, country, nonce });
  const text = empty ? '' : writeMarkdown(content, { gap: '', mark: (_source, index) => `[${index + 1}]` }).text;
  return { content, text, chunks: text.match(new RegExp(`(?:\\s*\\S+){1,${WORDS_PER_CHUNK}}|\\s+$`, 'g')) ?? [] };
}
