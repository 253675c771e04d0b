import { describe, expect, it } from '@jest/globals';
import { ISO_COUNTRIES } from '@overheard/contracts';
import { countryInInstruction, countryInstruction } from './country-instruction.js';

describe('a system instruction for a country', () => {
  it('names the country, its code and its language', () => {
    expect(countryInstruction('JP')).toMatch(/in Japan \(country code: JP\).* in Japanese\./);
  });

  it('can be made for every country, and read back', () => {
    expect(ISO_COUNTRIES.map((country) => countryInInstruction(countryInstruction(country)))).toEqual(ISO_COUNTRIES);
  });

  it('is read from no other text', () => {
    expect(countryInInstruction('Answer in German, as in DE.')).toBeUndefined();
  });
});
