import { describe, expect, it } from '@jest/globals';
import { retryDelayMs, retryInfoMs } from './retry-delay.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const delay = (headers: Record<string, string>, message = '') => retryDelayMs(new Headers(headers), message, NOW);

describe('how long an upstream asks us to wait', () => {
  it.each([
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '34.142s', 'x-ratelimit-remaining-requests': '5', 'x-ratelimit-reset-requests': '8m' },
      34_142,
    ],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m30s' }, 90_000],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '120ms' }, 120],
    [{ 'x-ratelimit-remaining-tokens': '7', 'x-ratelimit-reset-tokens': '34s' }, undefined],
    [{}, undefined],
  ])('is in its headers: %j is %p ms', (headers, expected) => {
    expect(delay(headers as Record<string, string>)).toBe(expected);
  });

  it.each([
    ['Rate limit reached. Please try again in 1.2s. Visit …', 1200],
    ['Please try again in 20ms.', 20],
    ['Please try again in 6m0s.', 360_000],
    ['Please retry after 20 seconds.', 20_000],
    ['Please retry in 34.4s.', 34_400],
    ['Try again later.', undefined],
    ['Limit 1, Requested 30.', undefined],
  ])('is in its words: %s', (message, expected) => {
    expect(delay({}, message)).toBe(expected);
  });

  it.each([
    [[{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure' }, { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }], 34_400],
    [[{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: 'soon' }], undefined],
    [[{ '@type': 'type.googleapis.com/google.rpc.RetryInfo' }], undefined],
    [{ retryDelay: '5s' }, undefined],
    [undefined, undefined],
  ])('is in the details of a Google error: %j is %p ms', (details, expected) => {
    expect(retryInfoMs(details)).toBe(expected);
  });
});
