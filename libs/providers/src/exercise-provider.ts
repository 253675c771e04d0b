import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { FailureReason } from '@overheard/contracts';
import { creditsOf, priceOf, type ProviderContract } from './contract.js';
import type { EngineModule } from './engine.js';
import { replayUpstream, type Replay, type ReplayUpstream } from './replay-upstream.js';

/** An upstream answer written by hand, and what an engine has to make of it. */
export interface Fixture {
  /** The situation. */
  name: string;
  body: string;
  expects: 'ok' | 'degraded' | FailureReason;
  /** How it comes over HTTP; `stored-only` when this provider's upstream never sends it. */
  http?: Omit<Replay, 'body'> | 'stored-only';
  /** False when the body alone does not tell, only the way it came. */
  storedTells?: boolean;
  format?: string;
}

/** The fixtures beside a test. */
export function fixturesBeside(test: string) {
  const read = (file: string) => readFileSync(new URL(`./fixtures/${file}`, test), 'utf8');
  const fixture = (file: string, expects: Fixture['expects'], rest: Omit<Fixture, 'name' | 'body' | 'expects'> = {}): Fixture => ({
    name: file,
    body: read(file),
    expects,
    ...rest,
  });
  return { read, fixture };
}

/** How an event stream comes over HTTP. */
export const stream = { headers: { 'content-type': 'text/event-stream' } };

interface Exercise {
  /** A valid request without include flags. */
  request: object;
  fixtures: Fixture[];
  /** The result keys that each include flag adds to the answer of the first fixture. */
  flags: Record<string, string[]>;
  /** What requests cost: changes to `request`, and credits. */
  credits: [change: object, credits: number][];
}

/** The conformance suite of all providers: what every contract with its engine guarantees. */
export function exerciseProvider(
  contract: ProviderContract<any, any>,
  module: EngineModule<any, any, any>,
  { request, fixtures, flags, credits }: Exercise,
): void {
  const engine = module.create(module.settings.parse({}));
  const everyFlag = Object.keys(flags);
  const good = fixtures.filter(({ expects }) => expects === 'ok' || expects === 'degraded');
  const bad = fixtures.filter((fixture) => !good.includes(fixture));

  const extract = ({ name, body, format }: Fixture) => engine.extract([{ name, text: body }], { format });
  const ask = (upstream: ReplayUpstream, include: string[] = [], signal = AbortSignal.timeout(10_000)) =>
    engine.ask({
      request: contract.request.parse({ ...request, include: Object.fromEntries(include.map((name) => [name, true])) }),
      route: 'sandbox',
      sandboxUrl: upstream.url,
      signal,
      storeHtml: async (html: string) => `https://storage.example/${html.length}`,
    });

  describe(`${contract.id} extracts from stored answers`, () => {
    it.each(good)('$name: a result of the contract, quality $expects', async (fixture) => {
      const { result, quality } = await extract(fixture);
      expect(contract.result.parse(result)).toEqual(result);
      expect(quality.status).toBe(fixture.expects);
      expect(emptyFields({ ...result, rawResponse: [] })).toEqual([]);
    });

    it.each(good)('$name: positions run 1..n and every pill points at a source', async (fixture) => {
      const { sources = [], citationPills = [] } = (await extract(fixture)).result as { sources?: Numbered[]; citationPills?: Numbered[] };
      expect(sources.map(({ position }) => position)).toEqual(sources.map((_, index) => index + 1));
      expect(citationPills.map(({ citationPillId }) => citationPillId)).toEqual(citationPills.map((_, index) => index + 1));
      for (const { position, url } of citationPills) expect(sources[position - 1]?.url).toBe(url);
    });

    it.each(bad.filter(({ storedTells = true }) => storedTells))('$name: fails as $expects', async (fixture) => {
      await expect(extract(fixture)).rejects.toMatchObject({ name: 'UpstreamFailure', reason: fixture.expects });
    });
  });

  describe(`${contract.id} asks its upstream`, () => {
    it.each(overHttp(good))('$name: the same result as from the stored answer', async ({ fixture, replay }) => {
      await using upstream = await replayUpstream(replay);
      const { result } = await ask(
        upstream,
        everyFlag.filter((flag) => flag !== 'html'),
      );
      expect(result).toEqual((await extract(fixture)).result);
    });

    it.each(overHttp(bad))('$name: fails as $fixture.expects', async ({ fixture, replay }) => {
      await using upstream = await replayUpstream(replay);
      await expect(ask(upstream)).rejects.toMatchObject({ name: 'UpstreamFailure', reason: fixture.expects });
    });

    const [first] = overHttp(good);
    it.each(everyFlag)('include.%s adds its keys and nothing else', async (flag) => {
      await using upstream = await replayUpstream(first!.replay);
      const [without, withFlag] = await Promise.all([ask(upstream), ask(upstream, [flag])]);
      expect(Object.keys(withFlag.result as object).sort()).toEqual([...Object.keys(without.result as object), ...flags[flag]!].sort());
      expect(contract.result.parse(withFlag.result)).toEqual(withFlag.result);
    });

    const half = first!.fixture.body.slice(0, first!.fixture.body.length / 2);
    it.each([
      ['has not begun to answer', ''],
      ['is in the middle of its answer', half],
    ])('an abort ends the attempt within a second while the upstream %s', async (_when, body) => {
      await using upstream = await replayUpstream({ ...first!.replay, body, then: 'stall' });
      const nobodyWaits = new AbortController();
      const attempt = ask(upstream, [], nobodyWaits.signal);
      await until(() => upstream.requests.length === 1);
      const reason = new Error('nobody waits');
      setTimeout(() => nobodyWaits.abort(reason), 50);
      const began = Date.now();
      await expect(attempt).rejects.toBe(reason);
      expect(Date.now() - began).toBeLessThan(1000);
    });

    it('an attempt whose time is up before an answer begins is a timeout', async () => {
      await using upstream = await replayUpstream({ body: '', then: 'stall' });
      await expect(ask(upstream, [], AbortSignal.timeout(50))).rejects.toMatchObject({ reason: 'timeout' });
    });

    it('an upstream that nobody runs is unavailable', async () => {
      const upstream = await replayUpstream({ body: '' });
      await upstream[Symbol.asyncDispose]();
      await expect(ask(upstream)).rejects.toMatchObject({ reason: 'unavailable' });
    });
  });

  it.each(credits)(`${contract.id} costs what decisions M1 and M2 say: %j is %i`, (change, expected) => {
    expect(creditsOf(priceOf(contract, contract.request.parse({ ...request, ...change })))).toBe(expected);
  });
}

interface Numbered {
  position: number;
  citationPillId: number;
  url: string;
}

const overHttp = (fixtures: Fixture[]) =>
  fixtures.flatMap((fixture) => (fixture.http === 'stored-only' ? [] : [{ name: fixture.name, fixture, replay: { ...fixture.http, body: fixture.body } }]));

/** Paths of nested fields that are null, undefined or empty text: decision S13 wants them absent. */
function emptyFields(value: unknown, path = ''): string[] {
  if (value === null || value === undefined || value === '') return [path];
  return typeof value === 'object' ? Object.entries(value).flatMap(([name, inner]) => emptyFields(inner, `${path}/${name}`)) : [];
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
