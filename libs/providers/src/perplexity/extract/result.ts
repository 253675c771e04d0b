import { markdownOf, pagesOf, pillsOf, plainTextOf } from '../../answer/cited-pages.js';
import type { JsonRecord } from '../../formats/json.js';
import type { PerplexityRequest, PerplexityResult } from '../contract.js';
import type { PerplexityAnswer } from './answer.js';

/** The result of interface.md, apart from stored HTML. */
export function extractResult(answer: PerplexityAnswer, include: PerplexityRequest['include'], payloads: JsonRecord[]): PerplexityResult {
  const pages = pagesOf(answer);
  return {
    text: plainTextOf(answer),
    ...(include.markdown && { markdown: markdownOf(answer) }),
    ...(include.rawResponse && { rawResponse: payloads }),
    sources: pages.map(({ cited: _cited, ...page }) => page),
    citationPills: pillsOf(answer, pages).map((pill) => ({ ...pill, label: pill.domain })),
    related_queries: answer.followUps ?? [],
    search_model_queries: answer.queries,
    ...answer.extras,
  };
}
