import { describe } from '@jest/globals';
import { composed, exerciseCitations, type MeantAnswer, type Place } from '../exercise-citations.js';
import { geminiEngine } from './engine.js';

/** Its text has no marks: a citation vouches for the sentence before it, which is counted in bytes. */
const unmarked = (answer: MeantAnswer) => composed(answer, () => '');
const markdown = (answer: MeantAnswer) => unmarked(answer).text;
const bytesOf = (text: string, { since, start }: Place) => [since, start].map((place) => Buffer.byteLength(text.slice(0, place)));

describe('the citations of Gemini', () => {
  exerciseCitations(geminiEngine, {
    format: 'gemini',
    markdown,
    write(answer) {
      const { text, places } = unmarked(answer);
      const groundingSupports = places.map((place) => {
        const [startIndex, endIndex] = bytesOf(text, place);
        return { segment: { ...(startIndex && { startIndex }), endIndex }, groundingChunkIndices: [place.index] };
      });
      const groundingMetadata = { groundingChunks: answer.pages.map(({ url, title }) => ({ web: { uri: url, title } })), groundingSupports };
      const frame = (candidate: object) => `data: ${JSON.stringify({ candidates: [candidate], modelVersion: 'm' })}\r\n\r\n`;
      const pieces = (text.match(/.{1,9}/gsu) ?? []).map((piece) => frame({ content: { parts: [{ text: piece }] } }));
      return [...pieces, frame({ content: { parts: [] }, finishReason: 'STOP', groundingMetadata })].join('');
    },
  });

  exerciseCitations(geminiEngine, {
    format: 'gemini-interactions',
    tellsUncited: false,
    markdown,
    write(answer) {
      const { text, places } = unmarked(answer);
      const annotations = places.map((place) => {
        const [start_index, end_index] = bytesOf(text, place);
        return { type: 'url_citation', url: place.page.url, title: place.page.title, start_index, end_index };
      });
      const steps = [{ type: 'model_output', content: [{ type: 'text', text, annotations }] }];
      return JSON.stringify({ object: 'interaction', status: 'completed', model: 'm', steps });
    },
  });
});
