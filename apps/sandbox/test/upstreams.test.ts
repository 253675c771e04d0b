import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sandboxes } from '@overheard/providers/sandboxes';
import { CallLog } from '../src/call-log.js';
import { mountOf } from '../src/mounts.js';
import { ask, plain, serve, upstream } from './served.js';

const PART = 'x'.repeat(64 * 1024);
const state = { parts: 0, closed: 0, answers: 0 };

/** Never ends by itself; notes how much was taken from it and that it was let go. */
async function* endless() {
  try {
    for (;;) {
      state.parts += 1;
      yield PART;
    }
  } finally {
    state.closed += 1;
  }
}

async function* parts(texts: string[]) {
  yield* texts;
}

const served = {
  TWO_WORDS: async () => plain,
  COUNTING: async () => upstream(async () => ({ status: 200, body: String(++state.answers) })),
  ENDLESS: async () => upstream(async () => ({ status: 200, body: endless() })),
  BROKEN: async () => upstream(async (_call, { prompt }) => ({ status: 200, body: prompt === 'whole' ? 'one two ' : parts(['one ', 'two ']), broken: true })),
  FAULTY: async () => upstream(async () => Promise.reject(new Error('a mistake of ours'))),
};

let url: string;
let errors: unknown[];
let close: () => void;
beforeAll(async () => ({ url, errors, close } = await serve(served)));
afterAll(() => close());

const calls = async (nonce: string): Promise<any[]> => (await fetch(`${url}/_calls?nonce=${nonce}`)).json() as Promise<any[]>;
const until = async (holds: () => boolean | Promise<boolean>) => {
  for (let turn = 0; turn < 200; turn++) {
    if (await holds()) return;
    await sleep(10);
  }
  throw new Error('it never came to be');
};

describe('the mounts', () => {
  it('are the identifiers in lower case with dashes', async () => {
    expect(mountOf('TWO_WORDS')).toBe('two-words');
    expect(await (await ask(`${url}/two-words/ask`, 'hello')).text()).toBe('hello 1');
  });

  it('answer 404 to what is none of their routes, and log no call', async () => {
    for (const path of ['/', '/two_words/ask', '/nothing/ask', '/two-words', '/two-words/other', '//two-words/ask'])
      expect([path, (await ask(`${url}${path}`, 'x #nonce=stray')).status]).toEqual([path, 404]);
    expect((await fetch(`${url}/two-words/ask`)).status).toBe(404);
    expect(await calls('stray')).toEqual([]);
  });

  it('hold a stand-in for every provider of the registry', async () => {
    const all = await serve(sandboxes);
    for (const provider of Object.keys(sandboxes)) expect((await fetch(`${all.url}/${mountOf(provider)}/no/such/route`)).status).toBe(404);
    all.close();
  });
});

describe('the call log', () => {
  it('tells of each call with a nonce, as operations.md says', async () => {
    await ask(`${url}/two-words/ask?country=DE&page=2`, 'pump #nonce=log1 #fail=1');
    await ask(`${url}/two-words/ask?country=DE`, 'pump #nonce=log1 #fail=1');
    const [first, second, ...others] = await calls('log1');
    expect(first).toEqual({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      provider: 'TWO_WORDS',
      country: 'DE',
      location: null,
      language: null,
      device: null,
      page: 2,
      attempt: 1,
      status: 500,
    });
    expect([second.attempt, second.status, second.page, others]).toEqual([2, 200, null, []]);
    expect(await calls('log')).toEqual([]);
  });

  it('knows a call from the moment it arrives', async () => {
    const answer = ask(`${url}/two-words/ask`, 'pump #delay=300ms #nonce=early');
    await until(async () => (await calls('early')).length === 1);
    expect((await calls('early'))[0].status).toBeNull();
    await answer;
    expect((await calls('early'))[0].status).toBe(200);
  });

  it('keeps the last ten thousand calls', () => {
    const log = new CallLog();
    for (let turn = 1; turn <= 10_005; turn++) log.open('ANY', { prompt: '' }, { attempt: turn, nonce: 'n' });
    const kept = log.of('n');
    expect([kept.length, kept[0]?.attempt, kept.at(-1)?.attempt]).toEqual([10_000, 6, 10_005]);
  });
});

describe('an answer', () => {
  it('comes after the delay that was asked for', async () => {
    const before = Date.now();
    await ask(`${url}/two-words/ask`, 'pump #delay=150ms');
    expect(Date.now() - before).toBeGreaterThanOrEqual(145);
  });

  it('is not made for a caller who hangs up during the delay', async () => {
    const answers = state.answers;
    const left = ask(`${url}/counting/ask`, 'pump #delay=200ms #nonce=gone', { signal: AbortSignal.timeout(50) });
    await expect(left).rejects.toThrow();
    await sleep(300);
    expect(state.answers).toBe(answers);
    expect((await calls('gone')).map(({ status }) => status)).toEqual([null]);
  });

  it('is made no faster than it is read, and no further once the caller is gone', async () => {
    const closed = state.closed;
    const socketFilled = new Promise<http.ClientRequest>((resolve) => {
      const request = http.request(`${url}/endless/ask`, { method: 'POST' }, () => resolve(request));
      request.on('error', () => {}).end('pump');
    });
    const request = await socketFilled;
    await sleep(300);
    const taken = state.parts;
    await sleep(200);
    expect(state.parts).toBe(taken);
    // What the kernel's buffers hold, and no more.
    expect(taken * PART.length).toBeLessThan(32 * 1024 * 1024);
    request.destroy();
    await until(() => state.closed === closed + 1);
  });

  it.each(['in parts', 'whole'])('that is broken comes as far as it goes, then the connection is cut: %s', async (prompt) => {
    const response = await ask(`${url}/broken/ask`, prompt);
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
    const read: string[] = [];
    const reading = (async () => {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) read.push(Buffer.from(chunk).toString());
    })();
    await expect(reading).rejects.toThrow();
    expect(read.join('')).toBe('one two ');
  });

  it('fails loudly when the stand-in itself does', async () => {
    expect((await ask(`${url}/faulty/ask`, 'pump')).status).toBe(500);
    expect(errors).toEqual([new Error('a mistake of ours')]);
  });

  it('comes over a connection that is kept alive', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const send = () =>
      new Promise<boolean>((resolve, reject) => {
        const request = http.request(`${url}/two-words/ask`, { method: 'POST', agent }, (response) =>
          response.resume().on('end', () => resolve(request.reusedSocket)),
        );
        request.on('error', reject).end('pump');
      });
    expect([await send(), await send(), await send()]).toEqual([false, true, true]);
    agent.destroy();
  });

  it('is right for each of two hundred callers at once', async () => {
    const prompts = Array.from({ length: 200 }, (_none, index) => `pump ${index}`);
    const texts = await Promise.all(prompts.map(async (prompt) => (await ask(`${url}/two-words/ask`, `${prompt} #delay=50ms`)).text()));
    expect(texts).toEqual(prompts.map((prompt) => `${prompt} 1`));
  });

  it('to a body of more than sixteen megabytes is 413', async () => {
    expect((await ask(`${url}/two-words/ask`, 'x'.repeat(17 * 1024 * 1024))).status).toBe(413);
  });
});
