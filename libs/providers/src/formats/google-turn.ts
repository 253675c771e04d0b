import { readGeneratedAnswer, type GeneratedAnswer } from './google-answer.js';
import type { GooglePage } from './google-page.js';
import { all, type Element } from './html.js';

/** A turn of a conversation in AI Mode, around question and answer. */
const TURN = '[data-scope-id="turn"], [data-xid="aim-mars-turn-root"]';
/** The part with the answer's text. */
export const ANSWER = '[data-container-id="main-col"]';

export interface Turn {
  place: Element;
  answer: GeneratedAnswer;
}

/** The last turn of a conversation that has an answer. */
export function lastTurn({ root, scripts }: GooglePage): Turn | undefined {
  const turns = all(root, TURN);
  const places = turns.length ? turns : all(root, '[data-subtree="aimc"], body');
  for (const place of places.reverse()) {
    const answer = readGeneratedAnswer(place, scripts);
    if (answer) return { place, answer };
  }
  return undefined;
}
