import { describe } from '@jest/globals';
import { composed, exerciseCitations, siteAnnotation, siteMark, writeResponses, type MeantAnswer } from '../exercise-citations.js';
import { copilotEngine } from './engine.js';

const frames = (...payloads: object[]): string => payloads.map((payload) => JSON.stringify(payload)).join('');
const numbered = (answer: MeantAnswer): string => composed(answer, (_page, index) => `[^${index + 1}^]`).text;

describe('the citations of Copilot', () => {
  exerciseCitations(copilotEngine, {
    format: 'openai-responses',
    markdown: (answer) => composed(answer, siteMark).text,
    write: (answer) => writeResponses(answer, { mark: siteMark, annotation: siteAnnotation }),
  });

  describe('where each frame of a citation comes', () => {
    exerciseCitations(copilotEngine, {
      format: 'copilot-web',
      spaced: true,
      tellsUncited: false,
      write(answer) {
        const { text, places } = composed(answer, () => '');
        const starts = [0, ...places.map(({ start }) => start)];
        const pieces = places.flatMap(({ page: { url, title }, start }, nth) => [
          { event: 'appendText', text: text.slice(starts[nth], start) },
          { event: 'citation', url, title },
        ]);
        return frames({ event: 'startMessage' }, ...pieces, { event: 'appendText', text: text.slice(starts.at(-1)) }, { event: 'done' });
      },
    });
  });

  describe('by numbers', () => {
    exerciseCitations(copilotEngine, {
      format: 'm365-copilot',
      write(answer) {
        const attributions = answer.pages.map(({ url, title }) => ({ attributionType: 'citation', seeMoreWebUrl: url, providerDisplayName: title }));
        const messages = [{ text: 'Which?' }, { text: numbered(answer), attributions }];
        return `data: ${JSON.stringify({ turnCount: 1, messages }, null, 1)}\nid: 1\n\n`;
      },
    });
  });
});
