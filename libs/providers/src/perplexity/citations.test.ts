import { describe } from '@jest/globals';
import { composed, exerciseCitations, type MeantAnswer } from '../exercise-citations.js';
import { perplexityEngine } from './engine.js';

const numbered = (answer: MeantAnswer): string => composed(answer, (_page, index) => `[${index + 1}]`).text;
const frames = (...payloads: object[]): string => payloads.map((payload) => `event: message\r\ndata: ${JSON.stringify(payload)}\r\n\r\n`).join('');
const webResults = ({ pages }: MeantAnswer) => ({
  intended_usage: 'web_results',
  web_result_block: { web_results: pages.map(({ url, title }) => ({ url, name: title })) },
});
const patch = (usage: string, field: string, ...patches: object[]) => ({ blocks: [{ intended_usage: usage, diff_block: { field, patches } }] });
const END = { status: 'COMPLETED', final_sse_message: true };

describe('the citations of Perplexity', () => {
  exerciseCitations(perplexityEngine, {
    format: 'sonar',
    write(answer) {
      const text = numbered(answer);
      const search_results = answer.pages.map(({ url, title }) => ({ url, title: title ?? null }));
      const chunk = (length: number, finish_reason: string | null) => {
        const message = { role: 'assistant', content: text.slice(0, length) };
        return { object: finish_reason ? 'chat.completion.done' : 'chat.completion.chunk', search_results, choices: [{ index: 0, message, finish_reason }] };
      };
      return frames(chunk(7, null), chunk(19, null), chunk(text.length, 'stop'));
    },
  });

  describe('in the layout of one block', () => {
    exerciseCitations(perplexityEngine, {
      format: 'perplexity-web',
      write: (answer) =>
        frames(
          { blocks: [webResults(answer)] },
          patch('ask_text', 'markdown_block', { op: 'replace', path: '', value: { chunks: [] } }),
          ...(numbered(answer).match(/.{1,9}/gsu) ?? []).map((value) => patch('ask_text', 'markdown_block', { op: 'add', path: '/chunks/-', value })),
          END,
        ),
    });
  });

  describe('in the layout of a workflow', () => {
    exerciseCitations(perplexityEngine, {
      format: 'perplexity-web',
      write: (answer) => {
        const item = { payload: { text_payload: { text: numbered(answer), variant: 'answer' } } };
        return frames({ blocks: [webResults(answer), { intended_usage: 'workflow_root', workflow_block: { steps: [{ items: [item] }] } }] }, END);
      },
    });
  });
});
