import { describe, expect, it } from '@jest/globals';
import { exerciseSandbox } from '../exercise-sandbox.js';
import { countryInstruction } from '../formats/country-instruction.js';
import type { SandboxCall } from '../sandbox.js';
import { Steer } from '../steering/steering.js';
import { grokContract } from './contract.js';
import { grokEngine } from './engine.js';
import { grokSandbox } from './sandbox.js';

exerciseSandbox(grokContract, grokEngine, grokSandbox);
exerciseSandbox(grokContract, grokEngine, grokSandbox, { live: (url) => ({ GROK_CAPTURE_URL: `${url}/capture` }) });

const callOf = (change: object = {}, headers: object = { authorization: 'Bearer xai-sandbox' }): SandboxCall => ({
  method: 'POST',
  url: '/v1/responses',
  headers: { ...headers },
  body: JSON.stringify({
    model: 'grok-4.3',
    input: [
      { role: 'system', content: countryInstruction('DE') },
      { role: 'user', content: 'Which pump is best?' },
    ],
    tools: [{ type: 'web_search' }, { type: 'x_search' }],
    include: ['web_search_call.action.sources'],
    ...change,
  }),
  signal: new AbortController().signal,
});

async function answer(call: SandboxCall, words = '') {
  const note = grokSandbox.note(call)!;
  const reply = await grokSandbox.answer(call, note, new Steer().next('GROK', `${note.prompt} ${words}`));
  let text = '';
  for await (const part of reply.body) text += part;
  return { ...reply, text };
}
const whole = async (change: object = {}) => JSON.parse((await answer(callOf(change))).text);

describe('the wire format of the xAI API', () => {
  it('cites in the text with numbers that are the titles of its annotations', async () => {
    const { text, annotations } = (await whole()).output.at(-1).content[0];
    expect(annotations.length).toBeGreaterThan(3);
    for (const { start_index, end_index, url, title } of annotations) expect(text.slice(start_index, end_index)).toBe(`[[${title}]](${url})`);
  });

  it('searches the web by calls with one query each, and X by a custom tool whose input is JSON', async () => {
    const { output } = await whole();
    const calls = output.filter(({ type }: any) => type === 'web_search_call').map(({ action }: any) => action);
    expect(calls.map(({ query, queries, sources }: any) => [typeof query, queries, sources.length > 0])).toEqual([
      ['string', undefined, true],
      ['string', undefined, true],
    ]);
    const [posts] = output.filter(({ type }: any) => type === 'custom_tool_call');
    expect([posts.name, typeof JSON.parse(posts.input).query]).toEqual(['x_keyword_search', 'string']);
  });

  it('streams its citations after the text, and ends with the response that is answered without a stream', async () => {
    const { text } = await answer(callOf({ stream: true }));
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
    const types = events.map(({ type }) => type.replace('response.', ''));
    expect(types.lastIndexOf('output_text.delta')).toBeLessThan(types.indexOf('output_text.annotation.added'));
    expect(types).toContain('custom_tool_call_input.done');
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: await whole() });
  });

  it('searches only with the tools that were offered', async () => {
    const { output } = await whole({ tools: [] });
    expect(output.map(({ type }: any) => type)).toEqual(['reasoning', 'message']);
    expect(output.at(-1).content[0].text).not.toContain('[[1]]');
  });

  it.each([
    ['#badkey', 400],
    ['#quota', 429],
    ['#ratelimit', 429],
    ['#fail', 503],
  ])('has errors of its own form: %s', async (words, status) => {
    const reply = await answer(callOf(), words);
    expect([reply.status, JSON.parse(reply.text)]).toEqual([status, { code: expect.any(String), error: expect.any(String) }]);
  });

  it('wants a key and a request', async () => {
    expect((await answer(callOf({}, {}))).status).toBe(401);
    expect((await answer(callOf({ input: [] }))).status).toBe(422);
  });
});
