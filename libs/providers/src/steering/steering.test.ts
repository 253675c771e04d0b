import { describe, expect, it } from '@jest/globals';
import { contentOf } from './content.js';
import { Steer } from './steering.js';
import { Tally } from './tally.js';
import { parseWords } from './words.js';

/** The faults of the first calls for a prompt. */
function faults(prompt: string, calls: number) {
  const steer = new Steer();
  return Array.from({ length: calls }, () => steer.next('ANY', prompt).fault);
}

describe('the words of a prompt', () => {
  it('are taken out of its text', () => {
    expect(parseWords('Which #nonce=abc pump\n is best? #fail=3   #shopping').text).toBe('Which pump is best?');
  });

  it('are only those of operations.md: other words with # stay', () => {
    const { text, words } = parseWords('the #1 pump #Fail=2 #failure #fail-3 C# #constructor #large');
    expect([text, [...words]]).toEqual(['the #1 pump #Fail=2 #failure #fail-3 C# #constructor', ['large']]);
  });

  it('say how long to wait and how much to send', () => {
    expect(['500ms', '2s', '1.5s', 'soon', ''].map((value) => parseWords(`#delay=${value}`).delayMs)).toEqual([500, 2000, 1500, 0, 0]);
    expect(['5mb', '64kb', '10b', '0.5MB', '5', 'much'].map((value) => parseWords(`#large=${value}`).largeBytes)).toEqual([
      5_242_880, 65_536, 10, 524_288, 0, 0,
    ]);
  });

  it('carry a nonce that is harmless in an address', () => {
    expect(['n0a-B_c', 'a/b', '<b>', ''].map((value) => parseWords(`#nonce=${value}`).nonce)).toEqual(['n0a-B_c', undefined, undefined, undefined]);
  });

  it('name kinds of content and faults alike', () => {
    expect([...parseWords('#shopping #places #noaio #truncate #empty').words]).toEqual(['shopping', 'places', 'noaio', 'truncate', 'empty']);
  });
});

describe('faults', () => {
  it('that are counted last that many calls', () => {
    expect(faults('x #fail=3', 5)).toEqual(['fail', 'fail', 'fail', undefined, undefined]);
    expect(faults('x #ratelimit=2', 3)).toEqual(['ratelimit', 'ratelimit', undefined]);
    expect(faults('x #blocked=2', 3)).toEqual(['blocked', 'blocked', undefined]);
    expect(faults('x #fail=0', 1)).toEqual([undefined]);
  });

  it('last for good without a number', () => {
    for (const [prompt, fault] of [
      ['#fail=always', 'fail'],
      ['#fail', 'fail'],
      ['#blocked', 'blocked'],
      ['#badkey', 'badkey'],
      ['#quota', 'quota'],
      ['#noresults #blocked', 'blocked'],
    ]) {
      expect([prompt, ...faults(`x ${prompt}`, 12)]).toEqual([prompt, ...Array.from({ length: 12 }, () => fault)]);
    }
  });

  it('follow one another: challenge pages, rate limits, failures; a bad key and an empty quota come before all', () => {
    expect(faults('x #fail=2 #ratelimit=1 #blocked=1', 5)).toEqual(['blocked', 'ratelimit', 'fail', 'fail', undefined]);
    expect(faults('x #fail=1 #quota #badkey', 2)).toEqual(['badkey', 'badkey']);
    expect(faults('x #fail=1 #quota', 2)).toEqual(['quota', 'quota']);
  });

  it('are counted for each prompt of each provider alone', () => {
    const steer = new Steer();
    const attempts = [
      ['A', 'x #fail=1'],
      ['A', 'y #fail=1'],
      ['B', 'x #fail=1'],
      ['A', 'x #fail=1'],
    ].map(([provider = '', prompt = '']) => steer.next(provider, prompt).attempt);
    expect(attempts).toEqual([1, 1, 1, 2]);
  });

  it('are counted within bounded memory: the name longest unused is forgotten', () => {
    const tally = new Tally(2);
    expect(['a', 'b', 'a', 'c', 'a', 'b'].map((name) => tally.next(name))).toEqual([1, 1, 2, 1, 3, 1]);
  });
});

describe('content', () => {
  const asked = { text: 'Which pump is best?', country: 'DE', nonce: 'n1' };

  it('is the same for the same prompt and country', () => {
    expect(contentOf(asked)).toEqual(contentOf({ ...asked }));
  });

  it('differs by country and by prompt', () => {
    const texts = [asked, { ...asked, country: 'BR' }, { ...asked, text: 'Which tyre?' }].map((one) => JSON.stringify(contentOf(one)));
    expect(new Set(texts).size).toBe(3);
    expect(texts[0]).toContain('Germany');
    expect(contentOf({ ...asked, country: 'nowhere <b>' }).place).toBe('nowhere b');
  });

  it('brings the nonce back in its text, in the addresses of its sources and in a query', () => {
    const { intro, sources, queries } = contentOf(asked);
    expect(intro.text).toContain('n1');
    expect(sources.every(({ url, domain }) => url.includes('n1') && new URL(url).hostname.endsWith(domain))).toBe(true);
    expect(queries[0]).toContain('n1');
  });

  it('has sources that no passage cites, and cites none that it does not have', () => {
    const { intro, points, outro, sources } = contentOf(asked);
    const cited = new Set([intro, ...points, outro].flatMap(({ cites }) => cites));
    expect(sources.filter((_source, index) => !cited.has(index)).length).toBeGreaterThan(0);
    expect([...cited].every((index) => sources[index])).toBe(true);
  });

  it('repeats a hostile prompt without its marks', () => {
    const { topic } = contentOf({ text: '**x** [1](y) <b>&\u0001\u202e\ufeff 😀 `z` 【1】 \ue200cite', country: 'US' });
    expect(topic).toBe('x 1 y b z 1 cite');
    expect(contentOf({ text: '😀'.repeat(100), country: 'US' }).topic).toBe('this question');
  });
});
