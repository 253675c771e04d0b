import { describe, expect, it } from '@jest/globals';
import { exerciseSandbox } from '../exercise-sandbox.js';
import { countryInstruction } from '../formats/country-instruction.js';
import type { SandboxCall } from '../sandbox.js';
import { Steer } from '../steering/steering.js';
import { geminiContract } from './contract.js';
import { geminiEngine } from './engine.js';
import { geminiSandbox } from './sandbox.js';

exerciseSandbox(geminiContract, geminiEngine, geminiSandbox);

const callOf = ({ url = '/v1beta/models/gemini-2.5-flash:generateContent', headers = { 'x-goog-api-key': 'AIza' }, ...change }: any = {}): SandboxCall => ({
  method: 'POST',
  url,
  headers,
  body: JSON.stringify({
    system_instruction: { parts: [{ text: countryInstruction('DE') }] },
    contents: [{ role: 'user', parts: [{ text: 'Which pump is best?' }] }],
    tools: [{ google_search: {} }],
    ...change,
  }),
  signal: new AbortController().signal,
});

async function answer(call: SandboxCall, words = '') {
  const note = geminiSandbox.note(call)!;
  const reply = await geminiSandbox.answer(call, note, new Steer().next('GEMINI', `${note.prompt} ${words}`));
  let text = '';
  for await (const part of reply.body) text += part;
  return { ...reply, text };
}
const whole = async (change: object = {}) => JSON.parse((await answer(callOf(change))).text).candidates[0];

describe('the wire format of the Gemini API', () => {
  it('vouches for stretches of its text by places in bytes, left out at the beginning', async () => {
    const { content, groundingMetadata } = await whole({ contents: [{ parts: [{ text: 'どのポンプ？' }] }] });
    const bytes = Buffer.from(content.parts[0].text);
    expect(groundingMetadata.groundingSupports.length).toBeGreaterThan(3);
    for (const { segment } of groundingMetadata.groundingSupports) {
      expect(bytes.subarray(segment.startIndex ?? 0, segment.endIndex).toString()).toBe(segment.text);
    }
  });

  it('names its sources by redirects and sites alone', async () => {
    const { groundingMetadata } = await whole();
    for (const { web } of groundingMetadata.groundingChunks) {
      expect(web.uri).toMatch(/^https:\/\/vertexaisearch\.cloud\.google\.com\/grounding-api-redirect\//);
      expect(web.title).toMatch(/^[a-z-]+\.example$/);
    }
  });

  it('streams frames that add up to the answer in one piece, the grounding in the last', async () => {
    const { text } = await answer(callOf({ url: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse' }));
    const frames = text
      .split('\r\n\r\n')
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.replace(/^data: /, '')).candidates[0]);
    const { content, groundingMetadata } = await whole();
    expect(frames.map((frame) => frame.content.parts[0].text).join('')).toBe(content.parts[0].text);
    expect(frames.at(-1)).toMatchObject({ finishReason: 'STOP', groundingMetadata });
  });

  it('searches only when Google Search was offered, in either spelling', async () => {
    expect(await whole({ tools: [] })).not.toHaveProperty('groundingMetadata');
    expect(await whole({ tools: [{ googleSearch: {} }] })).toHaveProperty('groundingMetadata');
  });

  it('is that of Vertex AI at its address, with a token', async () => {
    const url = '/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-pro:generateContent';
    const reply = await answer(callOf({ url, headers: { authorization: 'Bearer ya29' } }));
    expect([reply.status, JSON.parse(reply.text).modelVersion]).toEqual([200, 'gemini-2.5-pro']);
  });

  it.each([
    ['#badkey', 400, 'INVALID_ARGUMENT'],
    ['#quota', 429, 'RESOURCE_EXHAUSTED'],
    ['#ratelimit', 429, 'RESOURCE_EXHAUSTED'],
    ['#blocked', 400, 'FAILED_PRECONDITION'],
    ['#fail', 503, 'UNAVAILABLE'],
  ])('has errors of its own form: %s', async (words, code, status) => {
    const reply = await answer(callOf(), words);
    expect([reply.status, JSON.parse(reply.text)]).toEqual([code, { error: expect.objectContaining({ code, status, message: expect.any(String) }) }]);
  });

  it('wants a key and a request', async () => {
    expect((await answer(callOf({ headers: {} }))).status).toBe(403);
    expect((await answer(callOf({ contents: [] }))).status).toBe(400);
  });
});
