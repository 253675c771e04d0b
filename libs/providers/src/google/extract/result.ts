import { ads } from '../../formats/google-ads.js';
import { answerAds, answerVideos } from '../../formats/google-answer-extras.js';
import { productCards } from '../../formats/google-cards.js';
import { organicResults } from '../../formats/google-organic.js';
import type { Overview } from '../../formats/google-overview.js';
import type { GooglePage } from '../../formats/google-page.js';
import { questions, type Question } from '../../formats/google-questions.js';
import { relatedSearches } from '../../formats/google-related.js';
import { sayings } from '../../formats/google-saying.js';
import type { GoogleRequest, GoogleResult } from '../contract.js';

interface Extraction {
  pages: GooglePage[];
  overview: Overview;
  include: GoogleRequest['include'];
  /** Decides what a bare `$` means. */
  country: string | undefined;
}

/** The result of interface.md from the pages of a request, apart from stored HTML. Positions count through all pages (decision S21). */
export function extractResult({ pages, overview, include, country }: Extraction): GoogleResult {
  const found = <Entry extends object>(read: (page: GooglePage) => Entry[]) =>
    pages.flatMap((page, index) => read(page).map((entry) => ({ ...entry, page: index + 1 })));
  const numbered = <Entry extends object>(entries: Entry[]) => entries.map((entry, index) => ({ position: index + 1, ...entry }));
  return {
    organicResults: numbered(found(organicResults)).map(({ sitelinks, ...result }) => ({ ...result, ...(sitelinks && { sitelinks: { inline: sitelinks } }) })),
    peopleAlsoAsk: once(found(questions), ({ question }) => question).map((question) => (include.paaAioverview ? question : withoutGenerated(question))),
    peopleAreSaying: numbered(pages.flatMap(sayings)),
    relatedSearches: once(pages.flatMap(relatedSearches), ({ query }) => query),
    ads: numbered(found((page) => ads(page, country))),
    shoppingCards: numbered(pages.flatMap((page) => productCards(page, country))),
    ...(include.aioverview && { aioverview: overviewResult(overview, include.aioverview.markdown, country) }),
  };
}

function once<Entry>(entries: Entry[], nameOf: (entry: Entry) => string): Entry[] {
  return [...new Map([...entries].reverse().map((entry) => [nameOf(entry).toLowerCase(), entry])).values()].reverse();
}

const withoutGenerated = <Asked extends Question>({ markdown: _markdown, sources: _sources, ...question }: Asked): Omit<Asked, 'markdown' | 'sources'> =>
  question;

function overviewResult({ place, answer }: Overview, withMarkdown: boolean, country: string | undefined): GoogleResult['aioverview'] {
  if (!place || !answer) return null;
  const videos = answerVideos(place);
  const paid = answerAds(place, country);
  const { text, markdown, sources, pills } = answer;
  return { text, ...(withMarkdown && { markdown }), sources, citationPills: pills, ...(videos.length && { videos }), ...(paid.length && { ads: paid }) };
}
