import { markdownOf, pagesOf, pillsOf, plainTextOf, queriesOf } from '../../answer/cited-pages.js';
import type { WebAnswer } from '../../formats/web-answer.js';
import type { ChatgptRequest, ChatgptResult } from '../contract.js';
import { extractRawResponse } from './raw-response.js';

/** The result of interface.md from an API's answer, apart from stored HTML. Products, entities and places are not in it. */
export function extractResult(answer: WebAnswer, include: ChatgptRequest['include']): ChatgptResult {
  const pages = pagesOf(answer);
  const pills = pillsOf(answer, pages);
  return {
    text: plainTextOf(answer),
    ...(include.markdown && { markdown: markdownOf(answer) }),
    model: answer.model ?? 'unknown',
    sources: pages.map(({ cited, ...page }) => ({ ...page, footnote: !cited })),
    ...(pills.length && { citationPills: pills }),
    ...(include.rawResponse && { rawResponse: extractRawResponse(answer) }),
    ...(include.searchQueries && { searchQueries: queriesOf(answer) }),
    // The API shows no advertisements.
    ...(include.ads && { ads: [] }),
  };
}
