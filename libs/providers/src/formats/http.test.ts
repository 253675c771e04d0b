import { describe, expect, it } from '@jest/globals';
import { replayUpstream } from '../replay-upstream.js';
import { postJson } from './http.js';

const post = (url: string, signal = new AbortController().signal) => postJson({ url, headers: { authorization: 'Bearer secret' }, body: { a: 1 }, signal });

describe('a post to an upstream', () => {
  it('sends JSON and gives the answer as it arrives, whatever pieces it comes in', async () => {
    await using upstream = await replayUpstream({ status: 201, body: 'ein Satz für 3 €', chunkBytes: 1 });
    const text = await post(`${upstream.url}/path`);
    const pieces: string[] = [];
    for await (const piece of text) pieces.push(piece);
    expect([pieces.join(''), text.broken]).toEqual(['ein Satz für 3 €', undefined]);
    expect(pieces.length).toBeGreaterThan(1);
    expect(text.waitedMs).toBeGreaterThan(0);
    expect(upstream.requests).toMatchObject([{ method: 'POST', path: '/path', body: '{"a":1}' }]);
  });

  it('fails by the meaning of a refusal', async () => {
    await using upstream = await replayUpstream({ status: 429, headers: { 'retry-after': '7' }, body: '{"error":{"message":"Slow down"}}' });
    await expect(post(upstream.url)).rejects.toMatchObject({ reason: 'rate_limited', retryAfterMs: 7000, message: expect.stringContaining('Slow down') });
  });

  it('gives what had arrived when the connection broke, and says so', async () => {
    await using upstream = await replayUpstream({ body: 'half an ans', then: 'break' });
    const text = await post(upstream.url);
    expect([await text.whole(), text.broken]).toMatchObject(['half an ans', { reason: 'unavailable' }]);
  });

  it('gives what had arrived when time ran out, and says so', async () => {
    await using upstream = await replayUpstream({ body: 'half an ans', then: 'stall' });
    const text = await post(upstream.url, AbortSignal.timeout(200));
    expect([await text.whole(), text.broken]).toMatchObject(['half an ans', { reason: 'timeout' }]);
  });

  it('is refused when the answer is larger than the limit (decision L9), and accepted at the limit', async () => {
    await using upstream = await replayUpstream({ body: 'x'.repeat(1000), chunkBytes: 300 });
    const request = { url: upstream.url, headers: {}, body: {}, signal: new AbortController().signal };
    const read = async (bytesMax: number) => (await postJson({ ...request, bytesMax })).whole();
    await expect(read(999)).rejects.toMatchObject({ reason: 'invalid_answer' });
    expect(await read(1000)).toHaveLength(1000);
  });

  it('tells no header in a failure', async () => {
    const failure = postJson({ url: 'http://127.0.0.1:1', headers: { authorization: 'Bearer top\nsecret' }, body: {}, signal: new AbortController().signal });
    await expect(failure).rejects.toMatchObject({ reason: 'unavailable', message: expect.not.stringContaining('secret'), cause: undefined });
  });
});
