import type { shapes } from '@overheard/contracts';
import type * as z from 'zod';
import type { AnswerPart, Citation, WebAnswer } from '../../formats/web-answer.js';

/** An answer of Gemini: its text carries no marks, its citations vouch for stretches of it. */
export interface GroundedAnswer extends WebAnswer {
  parts: GroundedPart[];
  places: z.infer<typeof shapes.place>[];
}

export interface GroundedPart extends AnswerPart {
  citations: GroundedCitation[];
}

/** A stretch of text that a page vouches for; `description` is that stretch. */
export interface GroundedCitation extends Citation {
  /** How sure Google is of it, from 0 to 1. */
  confidence?: number | undefined;
}

/** Google counts places in bytes of UTF-8: gives the place in the text of such an offset. */
export function placesOf(text: string): (offset: number) => number {
  const places = new Uint32Array(Buffer.byteLength(text));
  let [byte, place] = [0, 0];
  for (const character of text) {
    const end = byte + Buffer.byteLength(character);
    places.fill(place, byte, end);
    [byte, place] = [end, place + character.length];
  }
  return (offset) => places[Math.max(0, offset)] ?? text.length;
}
