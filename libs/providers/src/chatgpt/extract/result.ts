import { citationsOf, markdownOf, pagesOf, pillsOf, plainTextOf, queriesOf } from '../../answer/cited-pages.js';
import type { JsonRecord } from '../../formats/json.js';
import type { ChatgptRequest, ChatgptResult } from '../contract.js';
import { extractWebEvents, type ChatgptAnswer } from './chatgpt-web.js';
import { extractRawResponse } from './raw-response.js';

/** The result of interface.md from an answer, apart from stored HTML. Only the web app's answers show products, entities, places and advertisements. */
export function extractResult(answer: ChatgptAnswer, include: ChatgptRequest['include'], payloads: JsonRecord[]): ChatgptResult {
  const pages = pagesOf(answer);
  const pills = pillsOf(answer, pages);
  const citations = citationsOf(answer);
  const { ads = [], shoppingCards = [], inlineProducts = [], entities = [], map = [] } = answer.shown ?? {};
  const events = () => (answer.shown ? extractWebEvents : extractRawResponse)(answer, payloads);
  const rawResponse = () => events().filter(({ type }) => include.shopping || type !== 'product_update');
  return {
    text: plainTextOf(answer),
    ...(include.markdown && { markdown: markdownOf(answer) }),
    model: answer.model ?? 'unknown',
    sources: pages.map(({ cited, date, ...page }) => ({ ...page, footnote: !cited, ...(date && { datePublished: date }) })),
    ...(pills.length && {
      citationPills: pills.map((pill, index) => {
        const { date, type } = citations[index]!;
        return { ...pill, ...(date && { datePublished: date }), ...(type && { type }) };
      }),
    }),
    ...(include.rawResponse && { rawResponse: rawResponse() }),
    ...(include.searchQueries && { searchQueries: queriesOf(answer) }),
    ...(include.ads && { ads }),
    ...(include.shopping && shoppingCards.length && { shoppingCards }),
    ...(include.shopping && inlineProducts.length && { inlineProducts }),
    ...(entities.length && { entities }),
    ...(map.length && { map }),
  };
}
