import type { UpstreamFailure } from '@overheard/contracts';
import { linkNumberedMarks } from '../../answer/numbered-marks.js';
import { failureIn } from '../../formats/api-failure.js';
import { fieldsOf, isRecord, listOf, textOf, type JsonRecord } from '../../formats/json.js';
import type { Payloads } from '../../formats/payloads.js';
import type { Page } from '../../formats/web-answer.js';
import type { PerplexityAnswer } from './answer.js';
import { imagesOf, placesOf, videosOf } from './extras.js';

const LISTS = ['search_results', 'citations', 'related_questions', 'images', 'videos'] as const;

/** Reads an answer of the Sonar API, in one piece or as the chunks of its stream. Each chunk repeats all that is known, so of all but the last nothing is kept. */
export async function readSonar(payloads: Payloads): Promise<PerplexityAnswer> {
  const known: Partial<Record<(typeof LISTS)[number], unknown[]>> = {};
  let latest: JsonRecord = {};
  let added = '';
  let whole = '';
  let failure: UpstreamFailure | undefined;
  for await (const payload of payloads) {
    const { delta, message } = choiceOf(payload);
    latest = payload;
    added += contentOf(delta);
    whole = contentOf(message) || whole;
    for (const name of LISTS) if (listOf(payload[name]).length) known[name] = listOf(payload[name]);
    failure ??= failureIn(payload);
  }
  const found = listOf(known.search_results).map(fieldsOf);
  const pages = found.length ? found.map(pageOf) : listOf(known.citations).map((url) => ({ url: String(url), title: undefined }));
  // What the chunks add up to, or the message that the last one holds: some leave one of the two empty.
  const text = withoutReasoning(added.length > whole.length ? added : whole);
  const endedBy = textOf(choiceOf(latest).finish_reason);
  return {
    id: textOf(latest.id),
    model: textOf(latest.model),
    ...linkNumberedMarks(textOf(text) ? [text] : [], pages),
    searches: [{ queries: [], pages, feeds: [] }],
    queries: [],
    followUps: listOf(known.related_questions).filter(textOf) as string[],
    extras: {
      images: imagesOf(listOf(known.images)),
      videos: videosOf(listOf(known.videos)),
      ...placesOf(found.flatMap(({ title, url, place_metadata }) => (isRecord(place_metadata) ? [{ title, url, ...place_metadata }] : []))),
    },
    country: undefined,
    // The stream has no other end mark: it never sends `[DONE]`.
    complete: endedBy === 'stop' && latest.object !== 'chat.completion.chunk',
    endedBy: endedBy === 'stop' ? undefined : endedBy,
    failure,
  };
}

const choiceOf = (payload: JsonRecord): JsonRecord => fieldsOf(listOf(payload.choices)[0]);

const pageOf = ({ url, title, snippet }: JsonRecord): Page => ({ url: String(url), title: textOf(title), description: textOf(snippet) });

const withoutReasoning = (text: string): string => text.replace(/<think>[\s\S]*?(?:<\/think>|$)/g, '');

function contentOf(message: unknown): string {
  const { content } = fieldsOf(message);
  return typeof content === 'string' ? content : '';
}
