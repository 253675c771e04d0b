import type { WebAnswer } from '../../formats/web-answer.js';

/** What Copilot answered, by whichever of its ways. */
export interface CopilotAnswer extends WebAnswer {
  /** How many citation marks name no source. */
  unresolved?: number;
}
