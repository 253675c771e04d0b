import type { UpstreamFailure } from '@overheard/contracts';

/** What an API that searches the web answered, whatever its wire format. */
export interface WebAnswer {
  id: string | undefined;
  model: string | undefined;
  parts: AnswerPart[];
  searches: WebSearch[];
  /** How many citation marks name no source, where the reader took them out. */
  unresolved?: number;
  /** The country the upstream says it searched from. */
  country: string | undefined;
  complete: boolean;
  /** Why the answer ended early, in the upstream's word. */
  endedBy: string | undefined;
  /** What the upstream said went wrong, also after a stream that began well. */
  failure: UpstreamFailure | undefined;
  /** What the upstream suggests to ask next. */
  followUps?: string[];
}

/** A stretch of the answer in Markdown, with what it cites. */
export interface AnswerPart {
  text: string;
  /** The text with its citations still in the upstream's own marks, where these can be nothing else; then no link of it is a mark. */
  words?: string;
  citations: Citation[];
}

/** A page as far as the upstream tells about it. */
export interface Page {
  url: string;
  title: string | undefined;
  description?: string | undefined;
  /** When it was published, ISO 8601. */
  date?: string | undefined;
}

/** A page cited at a place of the text; `start` and `end` are both 0 when the upstream names no place. */
export interface Citation extends Page {
  start: number;
  end: number;
  /** The words of the link that is the mark, when the place holds one. */
  label?: string | undefined;
  /** What kind of citation it is, in the upstream's word. */
  type?: string | undefined;
}

export interface WebSearch {
  queries: string[];
  /** What was found; `cited` tells of a page that a citation names besides the one it points at. */
  pages: (Page & { cited?: boolean })[];
  /** Sources without an address, such as a weather service. */
  feeds: string[];
}
