import { outsideTarget } from './google-links.js';
import type { GooglePage } from './google-page.js';
import { all, attribute, closest, first, leavesOf, readText, upwards, type Element } from './html.js';

export interface Saying {
  title: string;
  link: string;
  date?: string;
}

/** Top stories have the very same cards, so that only the heading tells. */
const HEADINGS = [
  /what people are saying|perspectives|^opinions?$/i,
  /was (?:andere|leute|nutzer) sagen|das sagen andere|perspektiven|^meinungen$/i,
  /ce qu['’]en (?:disent|pensent)|points de vue|lo que (?:dice|opina|está diciendo) la gente|perspectivas|^opiniones$/i,
  /o que as pessoas (?:estão )?(?:dizendo|dizem)|^opiniões$|cosa (?:dicono|ne pensano)|prospettive|^opinioni$/i,
  /wat mensen zeggen|perspectieven|co mówią|perspektywy|vad folk säger|perspektiv|insanlar ne diyor|bakış açıları/i,
  /мнения|что говорят|думки людей|みんなの意見|人々の声|さまざまな視点|大家的看法|大家在讨论|大家怎麼說|观点|사람들의 의견|관점|آراء|ماذا يقول/i,
];
const HEADING_LENGTH_MAX = 60;
const CARD = '[role="listitem"], g-inner-card, [data-news-doc-id]';

/** Posts and opinions under "What people are saying" or "Perspectives". */
export function sayings({ column }: GooglePage): Saying[] {
  const headings = all(column, '[role="heading"]').filter(isHeading);
  const byLink = new Map(
    headings
      .flatMap(cardsUnder)
      .flatMap((card) => readCard(card) ?? [])
      .map((saying) => [saying.link, saying]),
  );
  return [...byLink.values()];
}

function isHeading(heading: Element): boolean {
  const text = readText(heading);
  return text.length <= HEADING_LENGTH_MAX && HEADINGS.some((words) => words.test(text)) && !closest(heading, `a[href], ${CARD}`);
}

/** The cards of the nearest part around a heading that holds any. */
function cardsUnder(heading: Element): Element[] {
  for (const block of upwards(heading)) {
    const cards = all(block, CARD);
    if (cards.length) return cards;
  }
  return [];
}

function readCard(card: Element): Saying | undefined {
  const title = readText(first(card, '[role="heading"]'));
  const link = all(card, 'a[href]')
    .map((anchor) => outsideTarget(attribute(anchor, 'href')))
    .find(Boolean);
  if (!title || !link) return undefined;
  const date = dateIn(card);
  return { title, link, ...(date && { date }) };
}

/** The tail of "5.1M+ views · 3 days ago". */
function dateIn(card: Element): string | undefined {
  const tail = leavesOf(card).at(-1)?.text.split('·').at(-1)?.trim();
  return tail && /\p{Nd}/u.test(tail) && tail.length <= 30 ? tail : undefined;
}
