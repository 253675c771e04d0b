import { plainText } from '../../answer/plain-text.js';
import { apiFailure } from '../../formats/api-failure.js';
import { fieldsOf, isRecord, listOf, numberOf, textOf, type JsonRecord } from '../../formats/json.js';
import { placesOf, type GroundedAnswer, type GroundedCitation } from './grounded.js';

/** Reads an answer of `generateContent`, of the Gemini API or Vertex: in one piece, or as the frames of its stream. */
export function readGemini(payloads: JsonRecord[]): GroundedAnswer {
  const candidates = payloads.map(({ candidates }) => fieldsOf(listOf(candidates)[0]));
  const parts = candidates.flatMap(({ content }) => listOf(fieldsOf(content).parts)).map(fieldsOf);
  const text = parts.map((part) => (part.thought !== true && typeof part.text === 'string' ? part.text : '')).join('');
  const grounding = candidates.map(({ groundingMetadata }) => fieldsOf(groundingMetadata));
  const chunks = lastOf(grounding, 'groundingChunks').map(({ web, maps }) => fieldsOf(web ?? maps));
  const places = lastOf(grounding, 'groundingChunks').map(({ maps }) => fieldsOf(maps));
  const finish = candidates.map(({ finishReason }) => textOf(finishReason)).findLast(Boolean);
  const refused = payloads.find(({ error }) => isRecord(error) || textOf(error));
  return {
    id: payloads.map(({ responseId }) => textOf(responseId)).find(Boolean),
    model: payloads.map(({ modelVersion }) => textOf(modelVersion)).find(Boolean),
    parts: text.trim() ? [{ text, words: text, citations: citationsOf(lastOf(grounding, 'groundingSupports'), chunks, text) }] : [],
    searches: [{ queries: queriesOf(grounding, parts), pages: chunks.flatMap(pageOf), feeds: chunks.flatMap(feedOf) }],
    places: places.flatMap(({ title, uri }) => (textOf(title) ? [{ name: title as string, ...(textOf(uri) && { map_url: uri as string }) }] : [])),
    country: undefined,
    events: payloads,
    complete: finish === 'STOP',
    endedBy: blockOf(payloads) ?? (finish === 'STOP' ? undefined : finish),
    failure: refused && apiFailure(refused),
  };
}

/** The latest frame that has something of a kind; most streams tell of their grounding in the last one alone. */
const lastOf = (grounding: JsonRecord[], field: string): JsonRecord[] =>
  (grounding.map((metadata) => listOf(metadata[field])).findLast((list) => list.length) ?? []).map(fieldsOf);

const pageOf = ({ uri, title }: JsonRecord) => (textOf(uri) ? [{ url: uri as string, title: textOf(title) }] : []);

/** A chunk may name its source without an address, or be empty. */
const feedOf = ({ uri, title }: JsonRecord) => (!textOf(uri) && textOf(title) ? [title as string] : []);

/** One citation for each chunk that a support names, in the order of the text. */
function citationsOf(supports: JsonRecord[], chunks: JsonRecord[], text: string): GroundedCitation[] {
  const placeOf = placesOf(text);
  const citations = supports.flatMap((support) => {
    const segment = fieldsOf(support.segment);
    const [start, end] = [placeOf(numberOf(segment.startIndex) ?? 0), placeOf(numberOf(segment.endIndex) ?? 0)];
    const description = plainText(textOf(segment.text) ?? text.slice(start, end));
    const scores = listOf(support.confidenceScores);
    return listOf(support.groundingChunkIndices)
      .flatMap((index, nth) => pageOf(chunks[Number(index)] ?? {}).map((page) => ({ ...page, confidence: numberOf(scores[nth]) })))
      .map((page) => ({ ...page, description, start, end }));
  });
  return citations.sort((a, b) => a.end - b.end);
}

/** What was searched for; an answer that broke off before its grounding still has the calls of the search. */
function queriesOf(grounding: JsonRecord[], parts: JsonRecord[]): string[] {
  const searched = grounding.flatMap(({ webSearchQueries }) => listOf(webSearchQueries)).filter(textOf);
  const called = parts.flatMap(({ toolCall }) => listOf(fieldsOf(fieldsOf(toolCall).args).queries)).filter(textOf);
  return [...new Set((searched.length ? searched : called) as string[])];
}

function blockOf(payloads: JsonRecord[]): string | undefined {
  const { blockReason, blockReasonMessage } = fieldsOf(payloads.find(({ promptFeedback }) => isRecord(promptFeedback))?.promptFeedback);
  const why = [blockReason, blockReasonMessage].filter(textOf).join(': ');
  return why ? `the prompt was blocked, ${why}` : undefined;
}
