import { readGeneratedAnswer, type GeneratedAnswer } from './google-answer.js';
import type { GooglePage } from './google-page.js';
import { all, closest, isHidden, readText, type Element } from './html.js';

/** The first has been the overview's place since 2025; the others are what stands inside it. */
export const OVERVIEW_PLACE = '#eKIzJc, [data-mcpr]:has([data-subtree]), [data-subtree="aimc"]';
const QUESTION = '.related-question-pair, [data-initq]';
/** Shown for as long as the overview is being written. */
export const IN_PROGRESS = '[role="progressbar"][aria-valuetext], [role="progressbar"][aria-label]';
/** The head of an overview and what may stand in its place are shorter. */
const UNREAD_TEXT_MIN = 300;

export interface Overview {
  state: 'present' | 'absent' | 'deferred' | 'parse_failed';
  /** Where the page has room for it. */
  place: Element | undefined;
  answer: GeneratedAnswer | undefined;
}

/** The AI Overview of a page. The text "not available" is hidden in every one, generated or not: only a body counts. */
export function aiOverview({ root, scripts }: GooglePage): Overview {
  const place = all(root, OVERVIEW_PLACE).find((element) => !closest(element, QUESTION));
  const answer = place && readGeneratedAnswer(place, scripts);
  return { place, answer, state: answer ? 'present' : place ? stateWithout(place) : 'absent' };
}

function stateWithout(place: Element): Overview['state'] {
  if (all(place, IN_PROGRESS).some((element) => !isHidden(element) && !closest(element, '[style*="display:none"], [style*="display: none"]')))
    return 'deferred';
  return readText(place).length >= UNREAD_TEXT_MIN ? 'parse_failed' : 'absent';
}
