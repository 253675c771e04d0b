import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { FailureReason } from '@overheard/contracts';
import type { ProviderContract } from './contract.js';
import type { Answer, EngineModule } from './engine.js';
import type { Sandbox, SandboxNote } from './sandbox.js';
import { Steer } from './steering/steering.js';

const PROMPT = 'Which pump is best?';

interface Exercise {
  /** The engine's settings, where another of its upstreams than the sandbox's usual one is to be asked; `url` is the stand-in's. */
  live?(url: string): Record<string, string>;
}

/** The conformance suite of stand-ins: what the engine makes of each steering word, over HTTP as in production. */
export function exerciseSandbox(contract: ProviderContract<any, any>, module: EngineModule<any, any, any>, sandbox: Sandbox, { live }: Exercise = {}): void {
  /** Asks as often as told on one stand-in, and gives the last answer with what was noted of all calls. */
  async function ask(words = '', { times = 1, country = 'DE' } = {}): Promise<Answer<any> & { notes: SandboxNote[] }> {
    await using served = await serveSandbox(contract.id, sandbox);
    const engine = module.create(module.settings.parse(live?.(served.url) ?? {}));
    const request = contract.request.parse({ prompt: `${PROMPT} #nonce=n1 ${words}`.trim(), country, include: { markdown: true, rawResponse: true } });
    const attempt = {
      request,
      route: live ? ('live' as const) : ('sandbox' as const),
      sandboxUrl: served.url,
      signal: AbortSignal.timeout(20_000),
      storeHtml: async () => '',
    };
    for (let time = 1; time < times; time++) await engine.ask(attempt).catch(() => undefined);
    return { ...(await engine.ask(attempt)), notes: served.notes };
  }

  describe(`the stand-in of ${contract.id}${live ? ' by another way' : ''}`, () => {
    it('answers soundly, with the nonce in text, in a source and in a query', async () => {
      const { result, quality } = await ask();
      expect(quality.status).toBe('ok');
      expect(result.text).toContain('n1');
      expect(result.markdown).toContain('n1');
      expect(result.sources.some(({ url }: { url: string }) => url.includes('n1'))).toBe(true);
      expect(result.searchQueries.some((query: string) => query.includes('n1'))).toBe(true);
      expect(result.text).not.toMatch(/\*\*|\]\(|\[\[|\[\^?\d+\^?\]|【|[\uE000-\uF8FF]|^#{1,6} |^```/m);
    });

    it('answers the same every time, and something else in another country', async () => {
      const [one, again, abroad] = [await ask(), await ask(), await ask('', { country: 'BR' })];
      expect(again.result).toEqual(one.result);
      expect(abroad.result.text).not.toBe(one.result.text);
    });

    it('notes the prompt with its words, and the country', async () => {
      expect((await ask('', { country: 'JP' })).notes).toEqual([{ prompt: `${PROMPT} #nonce=n1`, country: 'JP' }]);
    });

    it.each<[string, FailureReason]>([
      ['#fail=always', 'unavailable'],
      ['#ratelimit=1', 'rate_limited'],
      ['#blocked', 'blocked'],
      ['#badkey', 'rejected_credentials'],
      ['#quota', 'quota_exhausted'],
      ['#empty', 'invalid_answer'],
    ])('%s: fails as %s', async (words, reason) => {
      await expect(ask(words)).rejects.toMatchObject({ name: 'UpstreamFailure', reason });
    });

    it('fails as often as it is told, and then answers', async () => {
      const { quality, notes } = await ask('#fail=1 #ratelimit=1 #blocked=1', { times: 4 });
      expect([quality.status, notes.length]).toEqual(['ok', 4]);
    });

    it('#truncate: some text, and known to be incomplete', async () => {
      const { result, quality } = await ask('#truncate');
      expect(result.text.length).toBeGreaterThan(0);
      expect(quality.checks).toContainEqual(expect.objectContaining({ id: 'complete_stream', status: 'failed' }));
    });

    it('#large: as many bytes of events as asked for', async () => {
      const { result } = await ask('#large=2mb');
      const bytes = JSON.stringify(result.rawResponse).length;
      expect(bytes).toBeGreaterThan(2 * 1024 * 1024);
      expect(bytes).toBeLessThan(2.5 * 1024 * 1024);
    });

    it('knows no other route', () => {
      const call = { method: 'POST', url: '/elsewhere', headers: {}, body: '', signal: new AbortController().signal };
      expect(sandbox.note(call)).toBeUndefined();
      expect(sandbox.note({ ...call, method: 'GET' })).toBeUndefined();
    });
  });
}

/** A stand-in on loopback, as the sandbox serves it. */
async function serveSandbox(provider: string, sandbox: Sandbox) {
  const steer = new Steer();
  const notes: SandboxNote[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const part of request) body += part;
    const call = { method: request.method!, url: request.url!, headers: request.headers, body, signal: new AbortController().signal };
    const note = sandbox.note(call)!;
    notes.push(note);
    const reply = await sandbox.answer(call, note, steer.next(provider, note.prompt));
    response.writeHead(reply.status, reply.headers).flushHeaders();
    for await (const part of typeof reply.body === 'string' ? [reply.body] : reply.body) response.write(part);
    if (reply.broken) response.socket?.destroySoon();
    else response.end();
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    notes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
