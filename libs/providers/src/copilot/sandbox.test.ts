import { describe, expect, it } from '@jest/globals';
import type { SandboxCall, SandboxReply } from '../sandbox.js';
import { Steer } from '../steering/steering.js';
import { copilotContract } from './contract.js';
import { copilotEngine } from './engine.js';
import { copilotSandbox } from './sandbox.js';

const signal = new AbortController().signal;

const azureCall = (prompt: string, country = 'DE', stream = true): SandboxCall => ({
  method: 'POST',
  url: '/openai/v1/responses',
  headers: { 'api-key': 'sandbox' },
  body: JSON.stringify({
    model: 'gpt-4.1',
    input: [{ role: 'user', content: prompt }],
    tools: [{ type: 'web_search_preview', user_location: { type: 'approximate', country } }],
    stream,
  }),
  signal,
});

const captureCall = (prompt: string, country = 'DE'): SandboxCall => ({
  method: 'POST',
  url: '/capture',
  headers: {},
  body: JSON.stringify({ provider: 'COPILOT', request: { prompt, country, include: {} } }),
  signal,
});

async function answer(call: SandboxCall, steer = new Steer()): Promise<SandboxReply & { text: string }> {
  const note = copilotSandbox.note(call);
  if (!note) throw new Error('no route');
  const reply = await copilotSandbox.answer(call, note, steer.next('COPILOT', note.prompt));
  let text = '';
  for await (const part of reply.body) text += part;
  return { ...reply, text };
}

async function extracted(call: SandboxCall) {
  const { text } = await answer(call);
  return copilotEngine.create(copilotEngine.settings.parse({})).extract([{ name: 'answer', text }], { country: 'DE' });
}

describe.each([
  ['Azure', azureCall],
  ['the capture service', captureCall],
])('%s', (_name, callOf) => {
  it('is noted with its prompt, words included, and the country', () => {
    expect(copilotSandbox.note(callOf('pump #nonce=n1'))).toEqual({ prompt: 'pump #nonce=n1', country: 'DE' });
    expect(copilotSandbox.note({ ...callOf('pump'), method: 'GET' })).toBeUndefined();
    expect(copilotSandbox.note({ ...callOf('pump'), url: '/other' })).toBeUndefined();
  });

  it('says the same every time, and another thing in another country', async () => {
    const [one, same, other] = [await extracted(callOf('pump')), await extracted(callOf('pump')), await extracted(callOf('pump', 'BR'))];
    expect(one).toEqual(same);
    expect(one.result.text).not.toBe(other.result.text);
  });

  it('cites sources, with the nonce in the text and in their addresses', async () => {
    const { result, quality } = await extracted(callOf('pump #nonce=n1 #shopping #places'));
    expect([result.text, result.sources[0]?.url]).toEqual([expect.stringContaining('n1'), expect.stringContaining('n1')]);
    expect([result.sources.length, quality.status]).toEqual([5, 'ok']);
    expect(result.citationPills.length).toBeGreaterThan(4);
    expect(result.text).toMatch(/More at [\w ]+\.$/);
    expect(copilotContract.result.parse(result)).toEqual(result);
  });

  it.each([
    ['#badkey', [401]],
    ['#quota', [402, 429]],
    ['#ratelimit=1', [429]],
    ['#blocked', [403]],
    ['#fail=1', [503]],
  ])('%s is HTTP %j', async (word, statuses) => expect(statuses).toContain((await answer(callOf(`pump ${word}`))).status));

  it('#fail: 503 and 500 in turn, then the answer', async () => {
    const steer = new Steer();
    const statuses: number[] = [];
    for (let turn = 0; turn < 4; turn++) statuses.push((await answer(callOf('pump #fail=3'), steer)).status);
    expect(statuses).toEqual([503, 500, 503, 200]);
  });

  it('#truncate breaks off after some of the text; #empty is complete without any; #large is as long as asked', async () => {
    expect((await answer(callOf('pump #truncate'))).broken).toBe(true);
    expect((await extracted(callOf('pump #truncate'))).quality.checks).toContainEqual(expect.objectContaining({ id: 'complete_stream', status: 'failed' }));
    await expect(extracted(callOf('pump #empty'))).rejects.toMatchObject({ reason: 'invalid_answer' });
    const { length } = (await answer(callOf('pump #large=2mb'))).text;
    expect(length).toBeGreaterThan(2 * 1024 * 1024);
    expect(length).toBeLessThan(2.2 * 1024 * 1024);
  });

  it('refuses what is no request', async () => expect((await answer({ ...callOf('pump'), body: '{' })).status).toBe(400));
});

it('Azure wants a key', async () => expect((await answer({ ...azureCall('pump'), headers: {} })).status).toBe(401));

it('Azure answers in one piece too, and annotates the first of equal marks only', async () => {
  const { output } = JSON.parse((await answer(azureCall('pump', 'DE', false))).text);
  const { text, annotations } = output.at(-1).content[0];
  expect(new Set(annotations.map(({ url }: { url: string }) => url)).size).toBe(annotations.length);
  expect(text.match(/\[[^\]]+\]\([^)]+\?id=1\)/g)).toHaveLength(2);
});

it('the web app’s frames hold one or several objects a line', async () => {
  const lines = (await answer(captureCall('pump'))).text.split('\n').filter(Boolean);
  expect([lines.some((line) => /^\{.*\}\{.*\}$/.test(line)), lines.some((line) => !/\}\{/.test(line))]).toEqual([true, true]);
  expect((await extracted(captureCall('pump'))).result.related_queries).toHaveLength(3);
});
