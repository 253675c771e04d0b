import { markdownOf, pagesOf, pillsOf, plainTextOf } from '../../answer/cited-pages.js';
import type { JsonRecord } from '../../formats/json.js';
import type { WebAnswer } from '../../formats/web-answer.js';
import type { CopilotRequest, CopilotResult } from '../contract.js';

/** The result of decision S17, apart from stored HTML. No form in which Copilot shows places or products has been recorded. */
export function extractResult(answer: WebAnswer, include: CopilotRequest['include'], payloads: JsonRecord[]): CopilotResult {
  const pages = pagesOf(answer);
  return {
    text: plainTextOf(answer),
    ...(include.markdown && { markdown: markdownOf(answer) }),
    ...(include.rawResponse && { rawResponse: payloads }),
    sources: pages.map(({ cited: _cited, date: _date, ...page }) => page),
    citationPills: pillsOf(answer, pages),
    ...(answer.followUps?.length && { related_queries: answer.followUps }),
  };
}
