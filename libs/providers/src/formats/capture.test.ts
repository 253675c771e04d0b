import { describe, expect, it } from '@jest/globals';
import { replayUpstream, type Replay } from '../replay-upstream.js';
import { askCapture, captureUrl } from './capture.js';

const request = { prompt: 'hello', country: 'DE', include: { html: true } };
const attempt = { request, route: 'live' as const, sandboxUrl: undefined, signal: new AbortController().signal, storeHtml: async () => '' };
const challenge = '<!DOCTYPE html><title>Just a moment...</title>';

async function capture(replay: Replay) {
  await using service = await replayUpstream(replay);
  const arriving = await askCapture({ provider: 'GROK', url: service.url, attempt });
  return { text: await arriving.whole(), broken: arriving.broken };
}

describe('a capture service', () => {
  it('is posted the provider and its request, and answers with what the app sent', async () => {
    await using service = await replayUpstream({ body: 'data: {}\n\n' });
    const arriving = await askCapture({ provider: 'GROK', url: `${service.url}/grok?x=1`, attempt });
    expect(await arriving.whole()).toBe('data: {}\n\n');
    const [{ method, path, headers, body }] = service.requests as [(typeof service.requests)[0]];
    expect([method, path, headers['content-type']]).toEqual(['POST', '/grok?x=1', 'application/json']);
    expect(JSON.parse(body)).toEqual({ provider: 'GROK', request });
  });

  it('is /capture of the stand-in under the sandbox; the operator’s own is left alone', async () => {
    await using service = await replayUpstream({ body: 'own' });
    await using sandbox = await replayUpstream({ body: 'stand-in' });
    await askCapture({ provider: 'GROK', url: service.url, attempt: { ...attempt, route: 'sandbox', sandboxUrl: `${sandbox.url}/` } });
    expect([service.requests.length, sandbox.requests.map(({ path }) => path)]).toEqual([0, ['/capture']]);
  });

  it.each<[string, Replay, object]>([
    ['a wrong key', { status: 401, body: '{"error":"who are you"}' }, { reason: 'rejected_credentials' }],
    ['a challenge', { status: 403, body: challenge }, { reason: 'blocked' }],
    ['too many calls', { status: 429, headers: { 'retry-after': '3' }, body: '{}' }, { reason: 'rate_limited', retryAfterMs: 3000 }],
    ['a bad request', { status: 400, body: '{"error":"no such provider"}' }, { reason: 'rejected_request' }],
    ['an outage', { status: 503, body: 'down' }, { reason: 'unavailable' }],
  ])('fails with %s by its reason', async (_what, replay, failure) => {
    await expect(capture(replay)).rejects.toMatchObject({ name: 'UpstreamFailure', ...failure });
  });

  it('that breaks off leaves what had arrived', async () => {
    const { text, broken } = await capture({ body: 'data: {"a":1}\n\n', then: 'break' });
    expect([text, broken?.reason]).toEqual(['data: {"a":1}\n\n', 'unavailable']);
  });

  it('has a web address or none', () => {
    const setting = captureUrl('Grok');
    expect([setting.parse(undefined), setting.parse('http://127.0.0.1:9/x')]).toEqual([undefined, 'http://127.0.0.1:9/x']);
    expect(setting.safeParse('ftp://x.example').success).toBe(false);
  });
});
