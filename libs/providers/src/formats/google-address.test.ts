import { describe, expect, it } from '@jest/globals';
import { decodeUule, encodeUule, languageOf, searchAddress } from './google-address.js';

describe('a place', () => {
  it.each([
    ['New York,New York,United States', 'w+CAIQICIfTmV3IFlvcmssTmV3IFlvcmssVW5pdGVkIFN0YXRlcw=='],
    ['Munich,Bavaria,Germany', 'w+CAIQICIWTXVuaWNoLEJhdmFyaWEsR2VybWFueQ=='],
    ['Berlin,Berlin,Germany', 'w+CAIQICIVQmVybGluLEJlcmxpbixHZXJtYW55'],
    ['San Francisco, USA', 'w+CAIQICISU2FuIEZyYW5jaXNjbywgVVNB'],
  ])('%s is encoded as Google does', (name, uule) => {
    expect([encodeUule(name), decodeUule(uule)]).toEqual([uule, name]);
  });

  it('comes back whatever its length and script', () => {
    for (const name of ['a'.repeat(61), 'a'.repeat(62), 'a'.repeat(64), 'a'.repeat(127), 'a'.repeat(128), '東京都,日本'.repeat(40)])
      expect(decodeUule(encodeUule(name))).toBe(name);
  });

  it('is none in a text that encodes none', () => expect(['', 'w+', 'Austin', 'w+AAAA'].map(decodeUule)).toEqual([undefined, undefined, undefined, undefined]));
});

describe('an address', () => {
  const parametersOf = (address: string) => Object.fromEntries(new URL(address).searchParams);

  it('asks from a country in its language, for a tab and a page', () => {
    const address = searchAddress({
      base: 'https://www.google.com/',
      query: 'a & b',
      country: 'BR',
      location: 'Berlin,Berlin,Germany',
      tab: { tbm: 'nws' },
      page: 3,
    });
    expect(new URL(address).origin + new URL(address).pathname).toBe('https://www.google.com/search');
    expect(parametersOf(address)).toEqual({
      q: 'a & b',
      gl: 'br',
      hl: 'pt-BR',
      pws: '0',
      tbm: 'nws',
      uule: 'w+CAIQICIVQmVybGluLEJlcmxpbixHZXJtYW55',
      start: '20',
    });
  });

  it('passes an encoded place on as it is', () => {
    expect(parametersOf(searchAddress({ base: 'http://127.0.0.1:8090/google', query: 'x', country: 'US', uule: 'w+given' }))).toMatchObject({
      uule: 'w+given',
    });
  });

  it.each([
    ['DE', 'de'],
    ['MX', 'es-419'],
    ['IL', 'iw'],
    ['NO', 'no'],
    ['TW', 'zh-TW'],
    ['IN', 'en'],
    ['AQ', 'en'],
  ])('the language of %s is %s', (country, language) => expect(languageOf(country)).toBe(language));
});
