import { linkNumberedMarks } from '../../answer/numbered-marks.js';
import { apiFailure } from '../../formats/api-failure.js';
import { fieldsOf, isRecord, listOf, textOf, type JsonRecord } from '../../formats/json.js';
import type { Page } from '../../formats/web-answer.js';
import type { PerplexityAnswer } from './answer.js';
import { imagesOf, placesOf, videosOf } from './extras.js';

/** Reads an answer of the Sonar API, in one piece or as the chunks of its stream, of which each repeats all that is known. */
export function readSonar(payloads: JsonRecord[]): PerplexityAnswer {
  const latest = fieldsOf(payloads.at(-1));
  const known = (name: string) => listOf(payloads.findLast((payload) => listOf(payload[name]).length > 0)?.[name]);
  const found = known('search_results').map(fieldsOf);
  const pages = found.length ? found.map(pageOf) : known('citations').map((url) => ({ url: String(url), title: undefined }));
  const text = answerText(payloads);
  const endedBy = textOf(choiceOf(latest).finish_reason);
  const refused = payloads.find(({ error }) => isRecord(error) || textOf(error));
  const { parts, unresolved } = linkNumberedMarks(textOf(text) ? [text] : [], pages);
  return {
    id: textOf(latest.id),
    model: textOf(latest.model),
    parts,
    unresolved,
    searches: [{ queries: [], pages, feeds: [] }],
    queries: [],
    followUps: known('related_questions').filter(textOf) as string[],
    extras: {
      images: imagesOf(known('images')),
      videos: videosOf(known('videos')),
      ...placesOf(found.flatMap(({ title, url, place_metadata }) => (isRecord(place_metadata) ? [{ title, url, ...place_metadata }] : []))),
    },
    country: undefined,
    events: payloads,
    // The stream has no other end mark: it never sends `[DONE]`.
    complete: endedBy === 'stop' && latest.object !== 'chat.completion.chunk',
    endedBy: endedBy === 'stop' ? undefined : endedBy,
    failure: refused && apiFailure(refused),
  };
}

const choiceOf = (payload: JsonRecord): JsonRecord => fieldsOf(listOf(payload.choices)[0]);

const pageOf = ({ url, title, snippet }: JsonRecord): Page => ({ url: String(url), title: textOf(title), description: textOf(snippet) });

/** What the chunks add up to, or the message that the last one holds: some leave one of the two empty. Reasoning is no answer. */
function answerText(payloads: JsonRecord[]): string {
  const choices = payloads.map(choiceOf);
  const added = choices.map(({ delta }) => contentOf(delta)).join('');
  const whole = choices.map(({ message }) => contentOf(message)).findLast(Boolean) ?? '';
  return (added.length > whole.length ? added : whole).replace(/<think>[\s\S]*?(?:<\/think>|$)/g, '');
}

function contentOf(message: unknown): string {
  const { content } = fieldsOf(message);
  return typeof content === 'string' ? content : '';
}
