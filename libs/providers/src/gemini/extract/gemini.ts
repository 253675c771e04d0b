import type { UpstreamFailure } from '@overheard/contracts';
import { plainText } from '../../answer/plain-text.js';
import { failureIn } from '../../formats/api-failure.js';
import { fieldsOf, isRecord, listOf, numberOf, textOf, type JsonRecord } from '../../formats/json.js';
import type { Payloads } from '../../formats/payloads.js';
import { placesOf, type GroundedAnswer, type GroundedCitation } from './grounded.js';

/** Reads an answer of `generateContent`, of the Gemini API or Vertex: in one piece, or as the frames of its stream. */
export async function readGemini(payloads: Payloads): Promise<GroundedAnswer> {
  const searched: unknown[] = [];
  const called: unknown[] = [];
  // The latest frame that has something of a kind counts; most streams tell of their grounding in the last one alone.
  let chunks: JsonRecord[] = [];
  let supports: JsonRecord[] = [];
  let text = '';
  let id: string | undefined;
  let model: string | undefined;
  let finish: string | undefined;
  let blocked: string | undefined;
  let failure: UpstreamFailure | undefined;
  for await (const payload of payloads) {
    const { content, finishReason, groundingMetadata } = fieldsOf(listOf(payload.candidates)[0]);
    const grounding = fieldsOf(groundingMetadata);
    for (const part of listOf(fieldsOf(content).parts).map(fieldsOf)) {
      if (part.thought !== true && typeof part.text === 'string') text += part.text;
      for (const query of listOf(fieldsOf(fieldsOf(part.toolCall).args).queries)) called.push(query);
    }
    for (const query of listOf(grounding.webSearchQueries)) searched.push(query);
    if (listOf(grounding.groundingChunks).length) chunks = listOf(grounding.groundingChunks).map(fieldsOf);
    if (listOf(grounding.groundingSupports).length) supports = listOf(grounding.groundingSupports).map(fieldsOf);
    id ??= textOf(payload.responseId);
    model ??= textOf(payload.modelVersion);
    finish = textOf(finishReason) ?? finish;
    blocked ??= blockOf(payload);
    failure ??= failureIn(payload);
  }
  const sources = chunks.map(({ web, maps }) => fieldsOf(web ?? maps));
  return {
    id,
    model,
    parts: text.trim() ? [{ text, words: text, citations: citationsOf(supports, sources, text) }] : [],
    searches: [{ queries: queriesOf(searched, called), pages: sources.flatMap(pageOf), feeds: sources.flatMap(feedOf) }],
    places: chunks.map(({ maps }) => fieldsOf(maps)).flatMap(placeOf),
    country: undefined,
    complete: finish === 'STOP',
    endedBy: blocked ?? (finish === 'STOP' ? undefined : finish),
    failure,
  };
}

/** Whether a payload is of this format. */
export const isGemini = ({ candidates, promptFeedback }: JsonRecord): boolean => Array.isArray(candidates) || isRecord(promptFeedback);

const pageOf = ({ uri, title }: JsonRecord) => (textOf(uri) ? [{ url: uri as string, title: textOf(title) }] : []);

/** A chunk may name its source without an address, or be empty. */
const feedOf = ({ uri, title }: JsonRecord) => (!textOf(uri) && textOf(title) ? [title as string] : []);

/** One citation for each chunk that a support names, in the order of the text. */
function citationsOf(supports: JsonRecord[], chunks: JsonRecord[], text: string): GroundedCitation[] {
  const placeIn = placesOf(text);
  const citations = supports.flatMap((support) => {
    const segment = fieldsOf(support.segment);
    const [start, end] = [placeIn(numberOf(segment.startIndex) ?? 0), placeIn(numberOf(segment.endIndex) ?? 0)];
    const description = plainText(textOf(segment.text) ?? text.slice(start, end));
    const scores = listOf(support.confidenceScores);
    return listOf(support.groundingChunkIndices)
      .flatMap((index, nth) => pageOf(chunks[Number(index)] ?? {}).map((page) => ({ ...page, confidence: numberOf(scores[nth]) })))
      .map((page) => ({ ...page, description, start, end }));
  });
  return citations.sort((a, b) => a.end - b.end);
}

const placeOf = ({ title, uri }: JsonRecord): GroundedAnswer['places'] =>
  textOf(title) ? [{ name: title as string, ...(textOf(uri) && { map_url: uri as string }) }] : [];

/** What was searched for; an answer that broke off before its grounding still has the calls of the search. */
function queriesOf(searched: unknown[], called: unknown[]): string[] {
  const told = searched.filter(textOf);
  return [...new Set((told.length ? told : called.filter(textOf)) as string[])];
}

function blockOf({ promptFeedback }: JsonRecord): string | undefined {
  const { blockReason, blockReasonMessage } = fieldsOf(promptFeedback);
  const why = [blockReason, blockReasonMessage].filter(textOf).join(': ');
  return why ? `the prompt was blocked, ${why}` : undefined;
}
