import { addressKey } from '../../answer/addresses.js';
import { markdownOf, pagesOf, plainTextOf, queriesOf } from '../../answer/cited-pages.js';
import type { JsonRecord } from '../../formats/json.js';
import type { GrokRequest, GrokResult } from '../contract.js';
import type { GrokAnswer } from './grok-web.js';

/** The result of interface.md, apart from stored HTML. Only grok.com tells more about a page than its address and title. */
export function extractResult(answer: GrokAnswer, include: GrokRequest['include'], payloads: JsonRecord[]): GrokResult {
  return {
    text: plainTextOf(answer),
    ...(include.markdown && { markdown: markdownOf(answer) }),
    ...(include.rawResponse && { rawResponse: payloads }),
    sources: pagesOf(answer).map(({ position, url, label }) => ({ position, url, label, ...answer.details?.get(addressKey(url)) })),
    searchQueries: queriesOf(answer),
    model: answer.model ?? 'unknown',
  };
}
