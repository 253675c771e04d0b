import { describe } from '@jest/globals';
import { composed, exerciseCitations, withNumberedLinks, writeResponses, type MeantPage } from '../exercise-citations.js';
import { grokEngine } from './engine.js';

const mark = ({ url }: MeantPage, index: number) => `[[${index + 1}]](${url})`;
const card = (_page: MeantPage, index: number) => `<grok:render card_id="c${index}" card_type="citation_card" type="render_inline_citation"></grok:render>`;

describe('the citations of Grok', () => {
  describe('with their places', () => {
    exerciseCitations(grokEngine, {
      format: 'xai-responses',
      pills: false,
      markdown: (answer) => composed(answer, mark).text.replace(/!(?=\[\[)/g, '! '),
      write: (answer) =>
        writeResponses(answer, { mark, annotation: ({ index, start, end }) => ({ title: String(index + 1), start_index: start, end_index: end }) }),
    });
  });

  describe('without places, as in older answers', () => {
    exerciseCitations(grokEngine, {
      format: 'xai-responses',
      pills: false,
      markdown: (answer) => composed(answer, mark).text.replace(/!(?=\[\[)/g, '! '),
      write: (answer) => writeResponses(answer, { mark, annotation: () => ({}) }),
    });
  });

  exerciseCitations(grokEngine, {
    format: 'grok-web',
    pills: false,
    markdown: (answer) => withNumberedLinks(answer, (number) => `[[${number}]]`),
    write(answer) {
      const event = (response: object) => `${JSON.stringify({ result: { response } })}\n`;
      const { text } = composed(answer, card);
      const cards = answer.pages.map(({ url }, index) => event({ cardAttachment: { jsonData: JSON.stringify({ id: `c${index}`, url }) } }));
      const tokens = (text.match(/.{1,9}/gsu) ?? []).map((token) => event({ token, isThinking: false, messageTag: 'final' }));
      const webSearchResults = { results: answer.pages.map(({ url, title }) => ({ url, title })) };
      return [event({ webSearchResults }), ...cards, ...tokens, event({ isSoftStop: true })].join('');
    },
  });
});
