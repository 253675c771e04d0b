import type { WebAnswer } from '../../formats/web-answer.js';
import type { PerplexityResult } from '../contract.js';

/** What Perplexity answered, by its API or its web app. */
export interface PerplexityAnswer extends WebAnswer {
  queries: PerplexityResult['search_model_queries'];
  extras: Pick<PerplexityResult, 'images' | 'videos' | 'shopping_cards' | 'hotels' | 'places'>;
}
