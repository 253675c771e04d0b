import { UpstreamFailure } from '@overheard/contracts';
import { isWebAddress } from '../../answer/addresses.js';
import { linkNumberedMarks, numberedLinks } from '../../answer/numbered-marks.js';
import { apiFailure } from '../../formats/api-failure.js';
import { fieldsOf, listOf, textOf, type JsonRecord } from '../../formats/json.js';
import type { Payloads } from '../../formats/payloads.js';
import type { AnswerPart, Citation, Page, WebAnswer } from '../../formats/web-answer.js';

/** A stretch of the answer while it is being written; a citation's place is where the text stood when it came. */
interface Draft {
  text: string;
  cited: { at: number; page: Page }[];
}

/** Reads the frames that copilot.microsoft.com sends over its WebSocket. */
export async function readCopilotWeb(frames: Payloads): Promise<WebAnswer> {
  const writing = new Writing();
  const latest = new Map<unknown, JsonRecord>();
  for await (const frame of frames) {
    writing.take(frame);
    if (TOLD_ONCE.has(String(frame.event))) latest.set(frame.event, frame);
  }
  const drafts = writing.drafts;
  const pages = drafts.flatMap(({ cited }) => cited.map(({ page }) => page));
  return {
    id: textOf(latest.get('startMessage')?.messageId),
    model: undefined,
    ...partsOf(drafts, pages),
    searches: [{ queries: [], pages: pages.map((page) => ({ ...page, cited: true })), feeds: [] }],
    followUps: listOf(latest.get('suggestedFollowups')?.suggestions).flatMap((suggestion) => textOf(suggestion) ?? textOf(fieldsOf(suggestion).text) ?? []),
    country: undefined,
    complete: latest.has('done'),
    endedBy: undefined,
    failure: failureOf(latest.get('error'), latest.get('challenge'), drafts),
  };
}

/** Whether a payload is of this format. */
export const isCopilotWeb = ({ event }: JsonRecord): boolean => textOf(event) !== undefined;

/** Events of which the last one counts. */
const TOLD_ONCE = new Set(['startMessage', 'suggestedFollowups', 'done', 'error', 'challenge']);

/** The parts of the last message, as they are being written. */
class Writing {
  private readonly parts = new Map<unknown, Draft>();
  private part: unknown;

  take({ event, partId, text, url, title, snippet }: JsonRecord): void {
    if (event === 'startMessage') this.parts.clear();
    if (!['appendText', 'replaceText', 'citation'].includes(String(event))) return;
    this.part = partId ?? this.part;
    const draft = this.parts.get(this.part) ?? { text: '', cited: [] };
    this.parts.set(this.part, draft);
    if (event === 'appendText') draft.text += textFrom(text);
    else if (event === 'replaceText') draft.text = textFrom(text);
    else if (textOf(url)) draft.cited.push({ at: draft.text.length, page: { url: url as string, title: textOf(title), description: textOf(snippet) } });
  }

  get drafts(): Draft[] {
    return [...this.parts.values()];
  }
}

const textFrom = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The text with its citations as links: in the place of its own marks when it has some, else where each came. */
function partsOf(drafts: Draft[], pages: Page[]): Pick<WebAnswer, 'parts' | 'unresolved'> {
  const written = drafts.filter(({ text }) => text.trim());
  const texts = written.map(({ text }) => text);
  if (texts.some((text) => /\[\^\d{1,3}\^\]/.test(text))) return linkNumberedMarks(texts, pages);
  const linkTo = numberedLinks();
  return { parts: written.map((draft) => linked(draft, linkTo)) };
}

function linked({ text: words, cited }: Draft, linkTo: (page: Page) => string): AnswerPart {
  const citations: Citation[] = [];
  let text = '';
  let read = 0;
  for (const { at, page } of cited.filter(({ page }) => isWebAddress(page.url))) {
    text += words.slice(read, at);
    read = Math.max(read, Math.min(at, words.length));
    const start = text.length;
    text += ` ${linkTo(page)}`;
    citations.push({ ...page, start, end: text.length });
  }
  return { text: text + words.slice(read), words, citations };
}

/** An error frame; or a challenge that was never passed. */
function failureOf(error: JsonRecord | undefined, challenge: JsonRecord | undefined, drafts: Draft[]): UpstreamFailure | undefined {
  const { errorCode, code, message } = error ?? {};
  const words = [errorCode, code, message].filter(textOf).join(': ');
  // An anonymous visitor is told so in countries without Copilot.
  if (/challenge|captcha|clearance|chat-service-unavailable/i.test(words)) return new UpstreamFailure('blocked', words);
  if (error) return apiFailure({ error: { code: errorCode ?? code, message: message ?? errorCode ?? 'The answer failed' } });
  const isEmpty = drafts.every(({ text }) => !text.trim());
  return challenge && isEmpty ? new UpstreamFailure('blocked', 'A challenge came in place of an answer') : undefined;
}
