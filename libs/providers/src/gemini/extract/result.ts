import { addressKey } from '../../answer/addresses.js';
import { citationsOf, markdownOf, pagesOf, pillsOf, plainTextOf, queriesOf } from '../../answer/cited-pages.js';
import type { JsonRecord } from '../../formats/json.js';
import type { GeminiRequest, GeminiResult } from '../contract.js';
import type { GroundedAnswer, GroundedCitation } from './grounded.js';

/** The result of decision S16, apart from stored HTML. */
export function extractResult(answer: GroundedAnswer, include: GeminiRequest['include'], payloads: JsonRecord[]): GeminiResult {
  const pages = pagesOf(answer);
  const vouched = vouchedFor(citationsOf(answer));
  return {
    text: plainTextOf(answer),
    ...(include.markdown && { markdown: markdownOf(answer) }),
    ...(include.rawResponse && { rawResponse: payloads }),
    model: answer.model ?? 'unknown',
    sources: pages.map(({ position, url, label }) => ({ position, url, label, ...vouched.get(addressKey(url)) })),
    citationPills: pillsOf(answer, pages),
    searchQueries: queriesOf(answer),
    ...(answer.places.length && { places: answer.places }),
  };
}

/** What each page vouches for: its stretches of the text, and how sure Google is of the surest of them. */
function vouchedFor(citations: GroundedCitation[]): Map<string, { description?: string; confidence_level?: number }> {
  const byPage = new Map<string, GroundedCitation[]>();
  for (const citation of citations) {
    const cited = byPage.get(addressKey(citation.url)) ?? [];
    cited.push(citation);
    byPage.set(addressKey(citation.url), cited);
  }
  return new Map(
    [...byPage].map(([key, cited]) => {
      const description = [...new Set(cited.map((citation) => citation.description))].filter(Boolean).join(' ');
      const scores = cited.flatMap(({ confidence }) => confidence ?? []);
      return [key, { ...(description && { description }), ...(scores.length && { confidence_level: Math.round(Math.max(...scores) * 100) }) }];
    }),
  );
}
