import { UpstreamFailure } from '@overheard/contracts';
import { isWebAddress } from '../../answer/addresses.js';
import { linkNumberedMarks, numberedLinks } from '../../answer/numbered-marks.js';
import { apiFailure } from '../../formats/api-failure.js';
import { fieldsOf, listOf, textOf, type JsonRecord } from '../../formats/json.js';
import type { AnswerPart, Citation, Page } from '../../formats/web-answer.js';
import type { CopilotAnswer } from './answer.js';

/** A stretch of the answer while it is being written; a citation's place is where the text stood when it came. */
interface Draft {
  text: string;
  cited: { at: number; page: Page }[];
}

/** Reads the frames that copilot.microsoft.com sends over its WebSocket. */
export function readCopilotWeb(frames: JsonRecord[]): CopilotAnswer {
  const drafts = draftsOf(frames);
  const pages = drafts.flatMap(({ cited }) => cited.map(({ page }) => page));
  const events = frames.filter(({ event }) => textOf(event));
  const last = (name: string) => events.findLast(({ event }) => event === name);
  return {
    id: textOf(last('startMessage')?.messageId),
    model: undefined,
    ...partsOf(drafts, pages),
    searches: [{ queries: [], pages: pages.map((page) => ({ ...page, cited: true })), feeds: [] }],
    followUps: listOf(last('suggestedFollowups')?.suggestions).flatMap((suggestion) => textOf(suggestion) ?? textOf(fieldsOf(suggestion).text) ?? []),
    country: undefined,
    events,
    complete: last('done') !== undefined,
    endedBy: undefined,
    failure: failureOf(last('error'), last('challenge'), drafts),
  };
}

/** Whether payloads are of this format. */
export const isCopilotWeb = (payloads: JsonRecord[]): boolean => payloads.some(({ event }) => textOf(event) !== undefined);

/** The parts of the last message. */
function draftsOf(frames: JsonRecord[]): Draft[] {
  const drafts = new Map<unknown, Draft>();
  let part: unknown;
  for (const { event, partId, text, url, title, snippet } of frames) {
    if (event === 'startMessage') drafts.clear();
    if (!['appendText', 'replaceText', 'citation'].includes(String(event))) continue;
    part = partId ?? part;
    const draft = drafts.get(part) ?? { text: '', cited: [] };
    drafts.set(part, draft);
    if (event === 'appendText') draft.text += textFrom(text);
    else if (event === 'replaceText') draft.text = textFrom(text);
    else if (textOf(url)) draft.cited.push({ at: draft.text.length, page: { url: url as string, title: textOf(title), description: textOf(snippet) } });
  }
  return [...drafts.values()];
}

const textFrom = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The text with its citations as links: in the place of its own marks when it has some, else where each came. */
function partsOf(drafts: Draft[], pages: Page[]): Pick<CopilotAnswer, 'parts' | 'unresolved'> {
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
