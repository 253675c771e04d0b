import { newsResults } from '../../formats/google-news.js';
import type { GooglePage } from '../../formats/google-page.js';
import type { GoogleNewsResult } from '../contract.js';

/** The result of interface.md from the pages of a request, apart from stored HTML. Positions count through all pages (decision S21). */
export function extractResult(pages: GooglePage[]): GoogleNewsResult {
  const found = pages.flatMap((page, index) => newsResults(page).map((article) => ({ ...article, page: index + 1 })));
  return { newsResults: found.map((article, index) => ({ position: index + 1, ...article })) };
}
