import type { UpstreamFailure } from '@overheard/contracts';
import { plainText } from '../../answer/plain-text.js';
import { failureIn } from '../../formats/api-failure.js';
import { fieldsOf, isRecord, listOf, numberOf, textOf, type JsonRecord } from '../../formats/json.js';
import type { Payloads } from '../../formats/payloads.js';
import { placesOf, type GroundedAnswer, type GroundedCitation, type GroundedPart } from './grounded.js';

/** Reads an answer of the Interactions API, in one piece or as its stream's events, by steps or (before May 2026) by contents. */
export async function readGeminiInteractions(payloads: Payloads): Promise<GroundedAnswer> {
  const drafts = new Map<number, Draft>();
  let whole: JsonRecord[] = [];
  let id: string | undefined;
  let model: string | undefined;
  let status: string | undefined;
  let failure: UpstreamFailure | undefined;
  for await (const payload of payloads) {
    if (isEvent(payload)) draft(payload, drafts);
    const interaction = isEvent(payload) ? fieldsOf(payload.interaction) : payload;
    if (stepsOf(interaction).length) whole = stepsOf(interaction);
    id ??= textOf(interaction.id);
    model ??= textOf(interaction.model);
    status = textOf(interaction.status) ?? status;
    failure ??= failureIn(payload);
  }
  const steps = drafts.size ? drafted(drafts) : whole;
  const contents = steps.flatMap((step) => (step.type === 'model_output' ? listOf(step.content).map(fieldsOf) : [step]));
  const annotations = contents.flatMap((content) => listOf(content.annotations)).map(fieldsOf);
  return {
    id,
    model,
    parts: contents.filter(({ type, text }) => type === 'text' && textOf(text)).map(partOf),
    searches: steps.filter(({ type }) => type === 'google_search_call').map((step) => ({ queries: queriesOf(step), pages: [], feeds: [] })),
    places: annotations.filter(({ type, name }) => type === 'place_citation' && textOf(name)).map(placeOf),
    country: undefined,
    complete: status === 'completed',
    endedBy: status === 'completed' || status === 'in_progress' ? undefined : status,
    failure,
  };
}

/** Whether a payload is of this format. */
export const isGeminiInteractions = (payload: JsonRecord): boolean => payload.object === 'interaction' || isEvent(payload);

const isEvent = ({ event_type: type }: JsonRecord): boolean => typeof type === 'string';

const stepsOf = ({ steps, outputs }: JsonRecord): JsonRecord[] => listOf(steps ?? outputs).map(fieldsOf);

/** A step while it is being written; each answer is one text. */
interface Draft {
  step: JsonRecord;
  text: string;
  annotations: unknown[];
}

/** Takes an event into the step that it belongs to. */
function draft({ event_type: type, index, step, content, delta }: JsonRecord, drafts: Map<number, Draft>): void {
  if (!/^(?:step|content)\.(?:start|delta)$/.test(String(type))) return;
  const place = numberOf(index) ?? 0;
  const known = drafts.get(place) ?? { step: fieldsOf(step ?? content), text: '', annotations: [] };
  const { type: kind, text, annotations, arguments: args } = fieldsOf(delta);
  if (kind === 'text' && isOutput(known.step)) known.text += typeof text === 'string' ? text : '';
  for (const annotation of listOf(annotations)) known.annotations.push(annotation);
  if (isRecord(args)) known.step = { ...known.step, arguments: args };
  drafts.set(place, known);
}

/** The steps as far as they came. */
const drafted = (drafts: Map<number, Draft>): JsonRecord[] =>
  [...drafts].sort(([a], [b]) => a - b).map(([, { step, text, annotations }]) => (text ? { type: 'text', text, annotations } : step));

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
