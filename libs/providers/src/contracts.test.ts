import { describe, expect, it } from '@jest/globals';
import { ignoredFields, ISO_COUNTRIES } from '@overheard/contracts';
import { contractOf, contracts, creditsOf, priceOf, type ProviderContract } from './contracts.js';

const ASSISTANTS = ['CHATGPT', 'PERPLEXITY', 'GROK', 'GEMINI', 'COPILOT', 'AIMODE'];
const SEARCHES = ['GOOGLE', 'GOOGLE_NEWS'];
const ALL = [...ASSISTANTS, ...SEARCHES];

const FLAGS: Record<string, string[]> = {
  CHATGPT: ['html', 'markdown', 'rawResponse', 'searchQueries', 'ads', 'shopping'],
  PERPLEXITY: ['html', 'markdown', 'rawResponse'],
  GROK: ['html', 'markdown', 'rawResponse'],
  GEMINI: ['html', 'markdown', 'rawResponse'],
  COPILOT: ['html', 'markdown', 'rawResponse'],
  AIMODE: ['html', 'markdown'],
  GOOGLE: ['html', 'paaAioverview'],
  GOOGLE_NEWS: ['html'],
};

const contract = (id: string): ProviderContract<any, any> => {
  const found = contractOf(id);
  if (!found) throw new Error(`no contract ${id}`);
  return found;
};
const asked = (id: string) => (SEARCHES.includes(id) ? 'query' : 'prompt');
const noun = (id: string) => (SEARCHES.includes(id) ? 'Query' : 'Prompt');
const body = (id: string, change: object = {}) => ({ [asked(id)]: 'best pump', country: 'US', ...change });

/** The problems of a body, `field: message`, in the order they are reported. */
function problems(id: string, value: unknown): string[] {
  const { error } = contract(id).request.safeParse(value);
  return (error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

const price = (id: string, change: object = {}) => creditsOf(priceOf(contract(id), contract(id).request.parse(body(id, change))));

describe('the registry', () => {
  it('holds the eight providers under their identifiers and paths', () => {
    expect(contracts.map(({ id, path }) => [id, path])).toEqual([
      ['CHATGPT', 'chatgpt'],
      ['PERPLEXITY', 'perplexity'],
      ['GROK', 'grok'],
      ['GEMINI', 'gemini'],
      ['COPILOT', 'copilot'],
      ['AIMODE', 'aimode'],
      ['GOOGLE', 'google'],
      ['GOOGLE_NEWS', 'google/news'],
    ]);
  });

  it('knows no other identifier', () => {
    for (const id of ['chatgpt', 'GOOGLE/NEWS', '__proto__', 'constructor', '']) expect(contractOf(id)).toBeUndefined();
  });

  it('knows the eight model names of the country list, each once', () => {
    const names = contracts.flatMap(({ models }) => Object.keys(models)).sort();
    expect(names).toEqual(['aimode', 'aioverview', 'chatgpt', 'copilot', 'gemini', 'google', 'grok', 'perplexity']);
  });
});

describe('countries', () => {
  const lists = contracts.flatMap(({ models }) => Object.entries(models));

  it.each(lists)('%s lists distinct ISO codes, the US among them', (_model, list) => {
    expect(list.filter((code) => !ISO_COUNTRIES.includes(code))).toEqual([]);
    expect(new Set(list).size).toBe(list.length);
    expect(list).toContain('US');
  });

  it('differ from model to model, and the overview is shown in fewer than can be searched', () => {
    expect(new Set(lists.map(([, list]) => list.join())).size).toBe(lists.length);
    const { google = [], aioverview = [] } = contract('GOOGLE').models;
    expect(aioverview.filter((code) => !google.includes(code))).toEqual([]);
    expect(aioverview.length).toBeLessThan(google.length);
  });

  it.each(ALL)('%s accepts exactly the countries of its list', (id) => {
    const list = contract(id).models[contract(id).path] ?? contract('GOOGLE').models.google ?? [];
    for (const country of ISO_COUNTRIES)
      expect([country, problems(id, body(id, { country }))]).toEqual([country, list.includes(country) ? [] : ['country: Invalid country code']]);
  });

  it.each(ALL)('%s refuses what is no code in capitals', (id) => {
    for (const country of ['us', 'USA', 'XX', 'UK', '', ' US']) expect(problems(id, body(id, { country }))).toEqual(['country: Invalid country code']);
    for (const country of [5, null, {}, ['US'], true]) expect(problems(id, body(id, { country }))).toEqual(['country: Expected string']);
  });

  it('are required of the assistants and US by default for the searches', () => {
    for (const id of ASSISTANTS) expect(problems(id, { prompt: 'x' })).toEqual(['country: Country is required']);
    for (const id of SEARCHES) expect(contract(id).request.parse({ query: 'x' })).toMatchObject({ country: 'US' });
  });
});

describe('prompts and queries', () => {
  it.each(ALL)('%s refuses a bad text in the words of decision R4', (id) => {
    const field = asked(id);
    const rows: [unknown, string][] = [
      [undefined, `${noun(id)} is required`],
      [null, 'Expected string'],
      [5, 'Expected string'],
      [['x'], 'Expected string'],
      [{}, 'Expected string'],
      ['', `${noun(id)} cannot be empty`],
      [' \n\t ', `${noun(id)} cannot be empty`],
      ['x'.repeat(10_001), `${noun(id)} is too long`],
      ['😀'.repeat(10_001), `${noun(id)} is too long`],
      ['a\u0000b', `${noun(id)} contains invalid characters`],
      ['a\ud800b', `${noun(id)} contains invalid characters`],
    ];
    for (const [value, message] of rows) expect(problems(id, body(id, { [field]: value }))).toEqual([`${field}: ${message}`]);
  });

  it.each(ALL)('%s counts code points of the trimmed text', (id) => {
    for (const text of ['😀'.repeat(10_000), `  ${'x'.repeat(10_000)}\n`]) expect(problems(id, body(id, { [asked(id)]: text }))).toEqual([]);
    expect(contract(id).describe(contract(id).request.parse(body(id, { [asked(id)]: ' x ', country: 'DE' })))).toEqual({ prompt: 'x', country: 'DE' });
  });
});

describe('include flags', () => {
  it.each(ALL)('%s takes booleans only, false when absent', (id) => {
    const flags = FLAGS[id] ?? [];
    for (const flag of flags)
      for (const value of ['true', 1, null, {}, []])
        expect(problems(id, body(id, { include: { [flag]: value } }))).toEqual([`include.${flag}: Expected boolean`]);
    const off = Object.fromEntries(flags.map((flag) => [flag, false]));
    for (const change of [{}, { include: {} }]) expect(contract(id).request.parse(body(id, change)).include).toEqual(off);
  });

  it.each(ALL)('%s takes include as an object only', (id) => {
    for (const include of ['html', 5, ['html'], true, null]) expect(problems(id, body(id, { include }))).toEqual(['include: Expected object']);
  });

  it('read include.aioverview as an object, true or false, and nothing else', () => {
    const wish = (aioverview: unknown) => contract('GOOGLE').request.parse(body('GOOGLE', { include: { aioverview } })).include.aioverview;
    expect([wish({}), wish(true), wish({ markdown: true })]).toEqual([{ markdown: false }, { markdown: false }, { markdown: true }]);
    expect([wish(false), wish(undefined)]).toEqual([undefined, undefined]);
    for (const value of ['true', 1, null, []])
      expect(problems('GOOGLE', body('GOOGLE', { include: { aioverview: value } }))).toEqual(['include.aioverview: Expected object or boolean']);
    for (const markdown of ['true', 1, null])
      expect(problems('GOOGLE', body('GOOGLE', { include: { aioverview: { markdown } } }))).toEqual(['include.aioverview.markdown: Expected boolean']);
  });
});

describe('search options', () => {
  it.each(SEARCHES)('%s takes 1 to 10 whole pages, 1 by default', (id) => {
    for (const pages of [0, 11, -1, 1.5, '3', null, true, [2], JSON.parse('1e400')])
      expect(problems(id, body(id, { pages }))).toEqual(['pages: pages must be an integer from 1 to 10']);
    for (const pages of [1, 10]) expect(problems(id, body(id, { pages }))).toEqual([]);
    expect(contract(id).request.parse(body(id))).toMatchObject({ pages: 1 });
  });

  it.each([...SEARCHES, 'AIMODE'])('%s takes a desktop or a mobile device, desktop by default', (id) => {
    for (const device of ['tablet', 'Mobile', '', 1, null]) expect(problems(id, body(id, { device }))).toEqual(['device: device must be desktop or mobile']);
    for (const device of ['desktop', 'mobile']) expect(contract(id).request.parse(body(id, { device }))).toMatchObject({ device });
    expect(contract(id).request.parse(body(id))).toMatchObject({ device: 'desktop' });
  });

  it.each(['GOOGLE', 'AIMODE'])('%s takes a location or a uule, never both', (id) => {
    const [location, uule] = ['Austin,Texas,United States', 'w+CAIQICIaQXVzdGlu'];
    for (const where of [{ location }, { uule }]) expect(contract(id).request.parse(body(id, where))).toMatchObject(where);
    expect(problems(id, body(id, { location, uule }))).toEqual(['uule: Cannot set both location and uule; provide only one']);
    expect(problems(id, body(id, { location: 5 }))).toEqual(['location: Expected string']);
    expect(problems(id, body(id, { location: 'a\u0000b' }))).toEqual(['location: location contains invalid characters']);
  });
});

describe('a body', () => {
  it('has all its problems reported at once, the pair location and uule too', () => {
    const change = {
      query: '',
      country: 'us',
      pages: 0,
      device: 'tablet',
      location: 'Austin',
      uule: 'w+x',
      include: { html: 'yes', paaAioverview: 1, aioverview: { markdown: 1 } },
    };
    expect(
      problems('GOOGLE', body('GOOGLE', change))
        .map((problem) => problem.split(':')[0])
        .sort(),
    ).toEqual(['country', 'device', 'include.aioverview.markdown', 'include.html', 'include.paaAioverview', 'pages', 'query', 'uule']);
  });

  it.each(ALL)('of %s that is no object is refused', (id) => {
    for (const value of [null, [], 'x', 5, true, undefined]) expect(problems(id, value)).toHaveLength(1);
  });

  it('may hold unknown fields, which are named', () => {
    const rows: [string, object, string[]][] = [
      ['GROK', { colour: 'red', include: { searchQueries: true } }, ['colour', 'include.searchQueries']],
      ['CHATGPT', { location: 'Austin', model: 'x' }, ['location', 'model']],
      ['AIMODE', { pages: 2, include: { rawResponse: true, html: true } }, ['pages', 'include.rawResponse']],
      [
        'GOOGLE',
        { prompt: 'x', include: { aioverview: { markdown: true, html: true }, rawResponse: 1 } },
        ['prompt', 'include.aioverview.html', 'include.rawResponse'],
      ],
      ['GOOGLE_NEWS', { location: 'Austin', uule: 'w+x' }, ['location', 'uule']],
      ['GEMINI', { include: { rawResponse: true } }, []],
    ];
    for (const [id, change, names] of rows) {
      expect(problems(id, body(id, change))).toEqual([]);
      expect(ignoredFields(body(id, change), contract(id).request)).toEqual(names);
    }
  });
});

describe('prices', () => {
  it('are those of decision M1 for a plain request', () => {
    expect(Object.fromEntries(ALL.map((id) => [id, price(id)]))).toEqual({
      CHATGPT: 5,
      PERPLEXITY: 3,
      GROK: 4,
      GEMINI: 4,
      COPILOT: 5,
      AIMODE: 4,
      GOOGLE: 3,
      GOOGLE_NEWS: 3,
    });
  });

  it('charge chatgpt 2 once for whatever costs extra, and nothing for html and markdown', () => {
    expect(price('CHATGPT', { include: { html: true, markdown: true } })).toBe(5);
    for (const flag of ['rawResponse', 'searchQueries', 'ads', 'shopping']) expect(price('CHATGPT', { include: { [flag]: true } })).toBe(7);
    expect(price('CHATGPT', { include: { rawResponse: true, searchQueries: true, ads: true, shopping: true } })).toBe(7);
  });

  it('charge google 2 for each overview option and each page beyond the first', () => {
    const rows: [object, number][] = [
      [{ include: { html: true, aioverview: false } }, 3],
      [{ include: { aioverview: true } }, 5],
      [{ include: { aioverview: { markdown: true } } }, 5],
      [{ include: { paaAioverview: true } }, 5],
      [{ include: { aioverview: {}, paaAioverview: true } }, 7],
      [{ pages: 3 }, 7],
      [{ pages: 10, include: { aioverview: {}, paaAioverview: true } }, 25],
    ];
    for (const [change, credits] of rows) expect([change, price('GOOGLE', change)]).toEqual([change, credits]);
  });

  it('charge nothing extra elsewhere', () => {
    for (const id of ['PERPLEXITY', 'GROK', 'GEMINI', 'COPILOT', 'AIMODE'])
      expect(price(id, { include: { html: true, markdown: true, rawResponse: true } })).toBe(price(id));
    expect(price('GOOGLE_NEWS', { pages: 10, include: { html: true } })).toBe(3);
  });

  it('take the base price that an operator sets', () => {
    expect(priceOf(contract('GOOGLE'), contract('GOOGLE').request.parse(body('GOOGLE', { pages: 2 })), 11)).toEqual([
      { item: 'base', credits: 11 },
      { item: 'pages beyond the first', credits: 2 },
    ]);
  });
});
