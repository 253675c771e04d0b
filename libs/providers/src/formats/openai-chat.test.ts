import { describe, expect, it } from '@jest/globals';
import { readOpenaiChat } from './openai-chat.js';

const citation = { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 0 } };
const chunk = (delta: object, finish_reason: string | null = null) => ({
  object: 'chat.completion.chunk',
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
});

describe('a chat completion', () => {
  it.each([
    [
      'in one piece',
      [
        {
          object: 'chat.completion',
          id: 'c',
          model: 'm',
          choices: [{ message: { content: 'It is.', reasoning_content: 'Hm.', annotations: [citation] }, finish_reason: 'stop' }],
        },
      ],
    ],
    [
      'with its content in parts',
      [
        {
          id: 'c',
          model: 'm',
          choices: [
            {
              message: {
                content: [
                  { type: 'text', text: 'It' },
                  { type: 'text', text: ' is.' },
                ],
                annotations: [citation],
              },
              finish_reason: 'stop',
            },
          ],
        },
      ],
    ],
    [
      'in chunks',
      [
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: 'It' }),
        chunk({ content: ' is.' }),
        chunk({ annotations: [citation] }),
        chunk({}, 'stop'),
        { choices: [], usage: {} },
      ],
    ],
  ])('is read %s', async (_form, payloads) => {
    expect(await readOpenaiChat(payloads as never)).toMatchObject({
      id: 'c',
      model: 'm',
      complete: true,
      failure: undefined,
      parts: [{ text: 'It is.', citations: [{ url: 'https://a.example', title: 'A', start: 0, end: 0 }] }],
    });
  });

  it('is incomplete without a finish, and when something else than its end finished it', async () => {
    expect(await readOpenaiChat([chunk({ content: 'It' })])).toMatchObject({ complete: false, endedBy: undefined });
    expect(await readOpenaiChat([chunk({ content: 'It' }, 'length')])).toMatchObject({ complete: false, endedBy: 'length' });
  });

  it('failed when it holds an error, also after some chunks', async () => {
    expect((await readOpenaiChat([chunk({ content: 'It' }), { error: { code: 429, message: 'Slow down' } }])).failure?.reason).toBe('rate_limited');
  });

  it('has no text when it is a call of a function', async () => {
    expect((await readOpenaiChat([{ choices: [{ message: { content: null, tool_calls: [{}] }, finish_reason: 'tool_calls' }] }])).parts).toEqual([]);
  });
});
