import { readGeneratedAnswer, type AnswerSource } from './google-answer.js';
import { deferredParts } from './google-deferred.js';
import { outsideTarget } from './google-links.js';
import type { GooglePage } from './google-page.js';
import { all, attribute, first, matches, outermost, paragraphsOf, readText, type Element } from './html.js';

export interface Question {
  question: string;
  snippet?: string;
  title?: string;
  link?: string;
  /** Only where Google's model answers. */
  markdown?: string;
  sources?: AnswerSource[];
}

/** The class is the most lasting anchor of all: it is on every page of ten years. */
export const PAIR = '.related-question-pair';
const PAIR_BY_DATA = '[data-initq] [data-q], [data-sgrd] [data-q], [jsname="yEVEwb"] [data-q]';
const BUTTON = '[aria-expanded], [role="button"]';
/** Basic pages, which have no list of results, have bare accordions; those that ask something are questions. */
const ACCORDION = '[role="button"][aria-expanded]';
const RESULT_LIST = '#rso';
const QUESTION_MARK = /[?？؟;՞፧]$/;
const GENERATED = '[data-attrid="SrpGenSumSummary"], [data-subtree="aimc"], [data-container-id="main-col"]';
/** Parts of an answer that are not its words. */
const ASIDE = 'h3, cite, a, button, g-img, img, [role="button"], [aria-expanded], [role="dialog"]';

/** What people also ask, with the answers as far as the page holds them. */
export function questions({ root, column, scripts }: GooglePage): Question[] {
  const byClass = all(root, PAIR);
  const pairs = outermost(byClass.length ? byClass : all(root, PAIR_BY_DATA));
  if (pairs.length || first(root, RESULT_LIST)) return readPairs(pairs, scripts);
  return all(column, ACCORDION)
    .map((button) => readText(button))
    .filter((text) => QUESTION_MARK.test(text))
    .map((question) => ({ question }));
}

function readPairs(pairs: Element[], scripts: string): Question[] {
  const deferredPart = deferredParts(scripts);
  return pairs.flatMap((pair) => {
    const question = questionIn(pair);
    return question ? [{ question, ...(readAnswer(pair, scripts) ?? deferredAnswer(pair, scripts, deferredPart)) }] : [];
  });
}

/** The button may hold the answer too, or the answer alone, so the attribute is asked first. */
function questionIn(pair: Element): string | undefined {
  const button = first(pair, BUTTON);
  return attribute(pair, 'data-q') ?? attribute(first(pair, '[data-q]'), 'data-q') ?? (button && paragraphsOf(button)[0]?.text);
}

type Answered = Omit<Question, 'question'>;

function readAnswer(part: Element, scripts: string): Answered | undefined {
  const cited = all(part, 'a[href]:has(h3), h3 > a[href]').find((anchor) => outsideTarget(attribute(anchor, 'href')));
  const link = outsideTarget(attribute(cited, 'href'));
  const title = link && (readText(first(cited!, 'h3')) || readText(cited));
  const generated = first(part, GENERATED) && readGeneratedAnswer(part, scripts);
  const snippet = generated?.text ?? wordsOf(part);
  if (!snippet && !link) return undefined;
  const { markdown, sources } = generated ?? {};
  return { ...(snippet && { snippet }), ...(title && { title }), ...(link && { link }), ...(markdown && { markdown }), ...(sources?.length && { sources }) };
}

const wordsOf = (part: Element): string =>
  paragraphsOf(part, (element) => matches(element, ASIDE))
    .map(({ text }) => text)
    .filter((text) => text.length > 20)
    .join(' ');

/** The answer that a script would put in on a click. */
function deferredAnswer(pair: Element, scripts: string, deferredPart: ReturnType<typeof deferredParts>): Answered | undefined {
  const ids = all(pair, '[aria-controls], [id]').map((element) => attribute(element, 'aria-controls') ?? attribute(element, 'id')!);
  for (const id of ids) {
    const part = deferredPart(id);
    const answer = part && readAnswer(part, scripts);
    if (answer) return answer;
  }
  return undefined;
}
