import type { UpstreamFailure } from '@overheard/contracts';
import type { JsonRecord } from './json.js';

/** What an API that searches the web answered, whatever its wire format. */
export interface WebAnswer {
  id: string | undefined;
  model: string | undefined;
  parts: AnswerPart[];
  searches: WebSearch[];
  /** The country the upstream says it searched from. */
  country: string | undefined;
  /** The stream's payloads as they came; none when the answer came in one piece. */
  events: JsonRecord[];
  complete: boolean;
  /** Why the answer ended early, in the upstream's word. */
  endedBy: string | undefined;
  /** What the upstream said went wrong, also after a stream that began well. */
  failure: UpstreamFailure | undefined;
}

/** A stretch of the answer in Markdown, with what it cites. */
export interface AnswerPart {
  text: string;
  citations: Citation[];
}

/** A page cited at a place of the text; `start` and `end` are both 0 when the upstream names no place. */
export interface Citation {
  url: string;
  title: string | undefined;
  start: number;
  end: number;
}

export interface WebSearch {
  queries: string[];
  pages: { url: string; title: string | undefined }[];
  /** Sources without an address, such as a weather service. */
  feeds: string[];
}
