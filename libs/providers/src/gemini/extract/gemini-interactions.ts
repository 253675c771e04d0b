import { plainText } from '../../answer/plain-text.js';
import { apiFailure } from '../../formats/api-failure.js';
import { fieldsOf, isRecord, listOf, numberOf, textOf, type JsonRecord } from '../../formats/json.js';
import { placesOf, type GroundedAnswer, type GroundedCitation, type GroundedPart } from './grounded.js';

/** Reads an answer of the Interactions API, in one piece or as its stream's events, by steps or (before May 2026) by contents. */
export function readGeminiInteractions(payloads: JsonRecord[]): GroundedAnswer {
  const interactions = payloads.map((payload) => (isEvent(payload) ? fieldsOf(payload.interaction) : payload));
  const drafts = drafted(payloads);
  const steps = drafts.length ? drafts : stepsOf(interactions.findLast((interaction) => stepsOf(interaction).length) ?? {});
  const contents = steps.flatMap((step) => (step.type === 'model_output' ? listOf(step.content).map(fieldsOf) : [step]));
  const annotations = contents.flatMap((content) => listOf(content.annotations)).map(fieldsOf);
  const status = interactions.map((interaction) => textOf(interaction.status)).findLast(Boolean);
  const refused = payloads.find(({ error }) => isRecord(error) || textOf(error));
  return {
    id: interactions.map(({ id }) => textOf(id)).find(Boolean),
    model: interactions.map(({ model }) => textOf(model)).find(Boolean),
    parts: contents.filter(({ type, text }) => type === 'text' && textOf(text)).map(partOf),
    searches: steps.filter(({ type }) => type === 'google_search_call').map((step) => ({ queries: queriesOf(step), pages: [], feeds: [] })),
    places: annotations.filter(({ type, name }) => type === 'place_citation' && textOf(name)).map(placeOf),
    country: undefined,
    events: payloads,
    complete: status === 'completed',
    endedBy: status === 'completed' || status === 'in_progress' ? undefined : status,
    failure: refused && apiFailure(refused),
  };
}

/** Whether payloads are of this format. */
export const isGeminiInteractions = (payloads: JsonRecord[]): boolean => payloads.some((payload) => payload.object === 'interaction' || isEvent(payload));

const isEvent = ({ event_type: type }: JsonRecord): boolean => typeof type === 'string';

const stepsOf = ({ steps, outputs }: JsonRecord): JsonRecord[] => listOf(steps ?? outputs).map(fieldsOf);

/** The steps that a stream's events add up to, as far as it came; each answer is one text. */
function drafted(payloads: JsonRecord[]): JsonRecord[] {
  const drafts = new Map<number, { step: JsonRecord; text: string; annotations: unknown[] }>();
  for (const { event_type: type, index, step, content, delta } of payloads.filter(isEvent)) {
    const [, deed] = /^(?:step|content)\.(start|delta)$/.exec(String(type)) ?? [];
    if (!deed) continue;
    const place = numberOf(index) ?? 0;
    const draft = drafts.get(place) ?? { step: fieldsOf(step ?? content), text: '', annotations: [] };
    const { type: kind, text, annotations, arguments: args } = fieldsOf(delta);
    if (kind === 'text' && isOutput(draft.step)) draft.text += typeof text === 'string' ? text : '';
    draft.annotations.push(...listOf(annotations));
    if (isRecord(args)) draft.step = { ...draft.step, arguments: args };
    drafts.set(place, draft);
  }
  return [...drafts].sort(([a], [b]) => a - b).map(([, { step, text, annotations }]) => (text ? { type: 'text', text, annotations } : step));
}

/** A step that says something to the user; thoughts and the question itself have texts too. */
const isOutput = ({ type }: JsonRecord): boolean => type === undefined || type === 'model_output' || type === 'text';

function partOf({ text, annotations }: JsonRecord): GroundedPart {
  const words = text as string;
  return { text: words, words, citations: citationsOf(listOf(annotations).map(fieldsOf), words) };
}

function citationsOf(annotations: JsonRecord[], text: string): GroundedCitation[] {
  const placeIn = placesOf(text);
  return annotations
    .filter(({ type, url, source }) => (type === 'url_citation' || type === 'place_citation') && textOf(url ?? source))
    .map(({ url, source, title, name, start_index, end_index }) => {
      const [start, end] = [placeIn(numberOf(start_index) ?? 0), placeIn(numberOf(end_index) ?? 0)];
      return { url: (url ?? source) as string, title: textOf(title ?? name), description: plainText(text.slice(start, end)), start, end };
    })
    .sort((a, b) => a.start - b.start);
}

const queriesOf = ({ arguments: args }: JsonRecord): string[] => listOf(fieldsOf(args).queries).filter(textOf) as string[];

const placeOf = ({ name, url }: JsonRecord) => ({ name: name as string, ...(textOf(url) && { map_url: url as string }) });
