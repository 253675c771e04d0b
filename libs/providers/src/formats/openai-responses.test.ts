import { describe, expect, it } from '@jest/globals';
import { readOpenaiResponses } from './openai-responses.js';

const delta = (text: string, place: object = {}) => ({ type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: text, ...place });
const message = (...texts: string[]) => ({ type: 'message', content: texts.map((text) => ({ type: 'output_text', text, annotations: [] })) });
const textsOf = async (payloads: object[]) => (await readOpenaiResponses(payloads as never)).parts.map(({ text }) => text);

describe('an answer of the Responses API', () => {
  it('is all output texts of all messages; reasoning and refusals are not part of it', async () => {
    const output = [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      message('One.', 'Two.'),
      { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] },
      message('Three.'),
    ];
    expect(await textsOf([{ object: 'response', status: 'completed', output }])).toEqual(['One.', 'Two.', 'Three.']);
  });

  it('is put together from pieces where its stream broke off: finished items as they are, unfinished ones from their deltas', async () => {
    const events = [
      { type: 'response.created', response: { id: 'r', model: 'm', output: [] } },
      delta('first dra', { output_index: 0 }),
      { type: 'response.output_item.done', output_index: 0, item: message('First.') },
      delta('Sec'),
      delta('ond', {}),
      delta(' \n'),
      delta('Other part', { content_index: 1 }),
      delta('.'),
      {
        type: 'response.output_text.annotation.added',
        output_index: 1,
        content_index: 0,
        annotation: { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 6 },
      },
    ];
    const answer = await readOpenaiResponses(events as never);
    expect(answer.parts.map(({ text }) => text)).toEqual(['First.', 'Second \n.', 'Other part']);
    expect(answer.parts[1]!.citations).toEqual([{ url: 'https://a.example', title: 'A', start: 0, end: 6 }]);
    expect([answer.id, answer.model, answer.complete]).toEqual(['r', 'm', false]);
  });

  it('is taken from the last event when that holds it', async () => {
    expect(await textsOf([delta('Draft'), { type: 'response.completed', response: { status: 'completed', output: [message('Final.')] } }])).toEqual(['Final.']);
    expect(await textsOf([delta('Draft'), { type: 'response.completed', response: { status: 'completed', output: [] } }])).toEqual(['Draft']);
  });

  it.each([
    [{ status: 'completed' }, true, undefined],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, false, 'content_filter'],
    [{ status: 'cancelled' }, false, 'cancelled'],
    [{ status: 'in_progress' }, false, undefined],
    [{}, false, undefined],
  ])('is complete only when its status says so: %j', async (response, complete, endedBy) => {
    expect(await readOpenaiResponses([{ object: 'response', output: [message('x')], ...response }])).toMatchObject({ complete, endedBy });
  });

  it('names the queries of searches, also of those that fan out; opened pages are no searches', async () => {
    const call = (action: object) => ({ type: 'web_search_call', action });
    const output = [
      call({ type: 'search', query: 'a', queries: ['a', 'b'] }),
      call({ type: 'search', query: 'c' }),
      call({ type: 'search', query: '', queries: [] }),
      call({ type: 'open_page', url: 'https://a.example' }),
      call({ type: 'find_in_page', pattern: 'x', url: 'https://a.example' }),
      call({
        type: 'search',
        query: 'd',
        sources: [
          { type: 'url', url: 'https://a.example' },
          { type: 'api', name: 'oai-weather' },
        ],
      }),
    ];
    const { searches } = await readOpenaiResponses([{ object: 'response', output }]);
    expect(searches.flatMap(({ queries }) => queries)).toEqual(['a', 'b', 'c', 'd']);
    expect(searches.at(-1)).toMatchObject({ pages: [{ url: 'https://a.example' }], feeds: ['oai-weather'] });
  });

  it('names what xAI’s searches were asked, in JSON texts of older answers; other tools search nothing', async () => {
    const output = [
      { type: 'web_search_call', name: 'web_search', arguments: '{"query":"a","num_results":5}' },
      { type: 'web_search_call', name: 'browse_page', arguments: '{"url":"https://a.example"}' },
      { type: 'custom_tool_call', name: 'x_keyword_search', input: '{"query":"from:b","limit":20}' },
      { type: 'custom_tool_call', name: 'x_semantic_search', input: '{"query":"cut of' },
      { type: 'x_search_call', action: { type: 'search', query: 'c', sources: [{ type: 'url', url: 'https://x.com/i/status/1' }] } },
      { type: 'function_call', name: 'lookup', arguments: '{"query":"not ours"}' },
    ];
    const { searches } = await readOpenaiResponses([{ object: 'response', output }]);
    expect(searches.flatMap(({ queries }) => queries)).toEqual(['a', 'from:b', 'c']);
    expect(searches.at(-1)?.pages).toEqual([{ url: 'https://x.com/i/status/1', title: undefined }]);
  });

  it('holds citations in the order of their places, flat or nested, and none of another kind', async () => {
    const annotations = [
      { type: 'url_citation', url: 'https://b.example', start_index: 9, end_index: 12 },
      { type: 'file_citation', file_id: 'f' },
      { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', start_index: 2, end_index: 5 } },
    ];
    const { parts } = await readOpenaiResponses([
      { object: 'response', output: [{ type: 'message', content: [{ type: 'output_text', text: 'x', annotations }] }] },
    ]);
    expect(parts[0]!.citations.map(({ url }) => url)).toEqual(['https://a.example', 'https://b.example']);
  });

  it.each([
    ['an error body', [{ error: { code: 'invalid_api_key', message: 'No.' } }], 'rejected_credentials'],
    ['a flat error event', [delta('x'), { type: 'error', code: 'rate_limit_exceeded', message: 'No.' }], 'rate_limited'],
    ['a nested error event', [delta('x'), { type: 'error', error: { code: 'insufficient_quota', message: 'No.' } }], 'quota_exhausted'],
    ['a failed response', [{ type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'No.' } } }], 'unavailable'],
  ])('failed when it holds %s', async (_what, payloads, reason) => {
    expect((await readOpenaiResponses(payloads as never)).failure?.reason).toBe(reason);
  });

  it.each([
    [[]],
    [[{}]],
    [[{ type: 'response.completed' }]],
    [[{ object: 'response', output: 'text', tools: 7 }]],
    [[{ object: 'response', output: [null, { type: 'message', content: [{ type: 'output_text' }] }] }]],
  ])('that is not as expected reads as empty: %j', async (payloads) => {
    expect(await readOpenaiResponses(payloads as never)).toMatchObject({ parts: [], searches: [], failure: undefined });
  });
});
