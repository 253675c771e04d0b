import { describe, expect, it } from '@jest/globals';
import { addressKey, cleanAddress, domainOf, isWebAddress } from './addresses.js';

describe('a clean address', () => {
  it.each([
    ['https://a.example/x?utm_source=openai', 'https://a.example/x'],
    ['https://a.example/x?id=7&utm_source=openai&utm_medium=b&q=%C3%BC+c', 'https://a.example/x?id=7&q=%C3%BC+c'],
    ['https://a.example/?gclid=1&fbclid=2&msclkid=3&srsltid=4&mc_cid=5&_hsenc=6', 'https://a.example/'],
    ['https://a.example/x?utm_source=openai#part', 'https://a.example/x#part'],
    ['https://a.example/x#:~:text=some%20words', 'https://a.example/x'],
    ['https://a.example/x#part:~:text=words', 'https://a.example/x#part'],
    ['https://a.example/utm_source=1?source=utm', 'https://a.example/utm_source=1?source=utm'],
    ['HTTPS://A.example/B/', 'HTTPS://A.example/B/'],
    [' https://a.example/x ', 'https://a.example/x'],
    ['no address', 'no address'],
  ])('of %s is %s', (given, clean) => {
    expect(cleanAddress(given)).toBe(clean);
    expect(cleanAddress(clean)).toBe(clean);
  });
});

describe('two addresses are the same page', () => {
  it.each([
    ['https://a.example', 'https://A.example:443/'],
    ['https://a.example/x/', 'https://a.example/x?utm_source=openai'],
    ['https://a.example/%7Ejoe/caf%c3%a9', 'https://a.example/~joe/café'],
    ['https://a.example/x?b=1+2', 'https://a.example/x?b=1%202'],
  ])('when they differ in writing only: %s and %s', (one, other) => {
    expect(addressKey(one)).toBe(addressKey(other));
  });

  it.each([
    ['https://a.example/x', 'https://a.example/X'],
    ['https://a.example/x?p=1', 'https://a.example/x?p=2'],
    ['https://a.example/x#a', 'https://a.example/x#b'],
    ['https://a.example/', 'https://b.example/'],
  ])('but not otherwise: %s and %s', (one, other) => {
    expect(addressKey(one)).not.toBe(addressKey(other));
  });
});

it('the domain of an address is its site without www', () => {
  expect(['https://www.a.example:8080/x', 'https://news.a.example', 'nothing'].map(domainOf)).toEqual(['a.example', 'news.a.example', 'nothing']);
});

it('only http and https are web addresses', () => {
  expect(['https://a.example', 'http://a.example', 'javascript:alert(1)', 'ftp://a.example', '/x', ''].map(isWebAddress)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
