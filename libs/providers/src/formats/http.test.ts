import { describe, expect, it } from '@jest/globals';
import { replayUpstream } from '../replay-upstream.js';
import { postJson } from './http.js';

const post = (url: string, signal = new AbortController().signal) => postJson({ url, headers: { authorization: 'Bearer secret' }, body: { a: 1 }, signal });

describe('a post to an upstream', () => {
  it('sends JSON and gives the answer whole, whatever pieces it comes in', async () => {
    await using upstream = await replayUpstream({ status: 418, headers: { 'x-y': 'z' }, body: 'ein Satz für 3 €', chunkBytes: 1 });
    const { status, headers, text, broken } = await post(`${upstream.url}/path`);
    expect([status, headers.get('x-y'), text, broken]).toEqual([418, 'z', 'ein Satz für 3 €', undefined]);
    expect(upstream.requests).toMatchObject([{ method: 'POST', path: '/path', body: '{"a":1}' }]);
  });

  it('gives what had arrived when the connection broke, and says so', async () => {
    await using upstream = await replayUpstream({ body: 'half an ans', then: 'break' });
    expect(await post(upstream.url)).toMatchObject({ text: 'half an ans', broken: { reason: 'unavailable' } });
  });

  it('gives what had arrived when time ran out, and says so', async () => {
    await using upstream = await replayUpstream({ body: 'half an ans', then: 'stall' });
    expect(await post(upstream.url, AbortSignal.timeout(200))).toMatchObject({ text: 'half an ans', broken: { reason: 'timeout' } });
  });

  it('is refused when the answer is larger than the limit (decision L9), and accepted at the limit', async () => {
    await using upstream = await replayUpstream({ body: 'x'.repeat(1000), chunkBytes: 300 });
    const request = { url: upstream.url, headers: {}, body: {}, signal: new AbortController().signal };
    await expect(postJson({ ...request, bytesMax: 999 })).rejects.toMatchObject({ reason: 'invalid_answer' });
    expect((await postJson({ ...request, bytesMax: 1000 })).text).toHaveLength(1000);
  });

  it('tells no header in a failure', async () => {
    const failure = postJson({ url: 'http://127.0.0.1:1', headers: { authorization: 'Bearer top\nsecret' }, body: {}, signal: new AbortController().signal });
    await expect(failure).rejects.toMatchObject({ reason: 'unavailable', message: expect.not.stringContaining('secret'), cause: undefined });
  });
});
