import { describe } from '@jest/globals';
import { linkAddress } from '../answer/addresses.js';
import { composed, exerciseCitations, siteAnnotation, siteMark, writeResponses, type MeantAnswer, type MeantPage } from '../exercise-citations.js';
import { chatgptEngine } from './engine.js';

const privateMark = (_page: MeantPage, index: number) => `\uE200cite\uE202turn0search${index}\uE201`;
const link = ({ url, title }: MeantPage) => `([${(title ?? new URL(url).hostname.replace(/^www\./, '')).replace('[', '\\[')}](${linkAddress(url)}))`;

describe('the citations of ChatGPT', () => {
  exerciseCitations(chatgptEngine, {
    format: 'openai-responses',
    markdown: (answer) => composed(answer, siteMark).text,
    write: (answer) => writeResponses(answer, { mark: siteMark, annotation: siteAnnotation }),
  });

  describe('in brackets', () => {
    exerciseCitations(chatgptEngine, {
      format: 'openai-responses',
      write: (answer) => writeResponses(answer, { mark: (_page, index) => `【${index + 1}†source】`, annotation: siteAnnotation }),
    });
  });

  exerciseCitations(chatgptEngine, {
    format: 'openai-chat',
    tellsUncited: false,
    markdown: (answer) => composed(answer, siteMark).text,
    write(answer) {
      const { text, places } = composed(answer, siteMark);
      const annotations = places.map((place) => ({ type: 'url_citation', url_citation: { url: place.page.url, ...siteAnnotation(place) } }));
      return JSON.stringify({ object: 'chat.completion', choices: [{ message: { content: text, annotations }, finish_reason: 'stop' }] }, null, 1);
    },
  });

  describe('as its stream tells them', () => {
    exerciseCitations(chatgptEngine, { format: 'chatgpt-web', markdown: (answer) => composed(answer, link).text, write: writeStream });
  });

  describe('as a list of messages tells them', () => {
    exerciseCitations(chatgptEngine, {
      format: 'chatgpt-web',
      markdown: (answer) => composed(answer, link).text,
      write: (answer) => JSON.stringify([tool(answer), message(composed(answer, privateMark).text, referencesOf(answer))]),
    });
  });
});

function writeStream(answer: MeantAnswer): string {
  const deltas = (composed(answer, privateMark).text.match(/.{1,9}/gsu) ?? []).map((v) => ({ v }));
  const payloads = [
    'v1',
    { p: '', o: 'add', v: { message: tool(answer) } },
    { v: { message: message('', []) } },
    { p: '/message/content/parts/0', o: 'append', v: '' },
    ...deltas,
    { p: '/message/metadata/content_references', o: 'append', v: referencesOf(answer) },
    { type: 'message_stream_complete' },
  ];
  return payloads.map((payload) => `event: delta\ndata: ${JSON.stringify(payload)}\n\n`).join('');
}

const message = (text: string, content_references: object[]) => ({
  id: 'm',
  author: { role: 'assistant' },
  recipient: 'all',
  status: 'finished_successfully',
  content: { content_type: 'text', parts: [text] },
  metadata: { content_references },
});

const tool = ({ pages }: MeantAnswer) => ({
  id: 't',
  author: { role: 'tool', name: 'web.run' },
  content: { content_type: 'text', parts: [''] },
  metadata: { search_result_groups: [{ type: 'search_result_group', entries: pages.map(({ url, title }) => ({ type: 'search_result', url, title })) }] },
});

/** Every other one with what the app shows in its mark's place. */
const referencesOf = (answer: MeantAnswer) =>
  composed(answer, privateMark).places.map(({ page, index }, nth) => ({
    type: 'grouped_webpages',
    matched_text: privateMark(page, index),
    items: [{ url: page.url, title: page.title }],
    ...(nth % 2 && { alt: link(page) }),
  }));
