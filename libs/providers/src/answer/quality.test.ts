import { describe, expect, it } from '@jest/globals';
import { judgeAnswer, type Evidence } from './quality.js';

const good: Evidence = { text: 'So it is.', sources: 2, pills: 1, unresolved: 0, complete: true, country: { asked: 'DE', applied: 'DE', sent: true } };
const statusOf = (id: string, change: Partial<Evidence>) => judgeAnswer({ ...good, ...change }).checks.find((check) => check.id === id)?.status;

describe('an answer', () => {
  it('with text, resolved citations, sources, an end and the right country is ok', () => {
    expect(judgeAnswer(good)).toEqual({
      status: 'ok',
      checks: ['answer_present', 'citations_resolve', 'sources_present', 'complete_stream', 'country_applied'].map((id) => ({ id, status: 'ok' })),
    });
  });

  it.each<[string, Partial<Evidence>]>([
    ['answer_present', { text: '' }],
    ['citations_resolve', { unresolved: 1 }],
    ['citations_resolve', { pills: 0, unresolved: 1 }],
    ['sources_present', { sources: 0, pills: 0 }],
    ['complete_stream', { complete: false }],
    ['country_applied', { country: { asked: 'DE', applied: 'US', sent: true } }],
  ])('is degraded when %s fails: %j', (id, change) => {
    expect(statusOf(id, change)).toBe('failed');
    expect(judgeAnswer({ ...good, ...change }).status).toBe('degraded');
  });

  it.each<[string, Partial<Evidence>, string]>([
    ['citations_resolve', { pills: 0 }, 'not_applicable'],
    ['sources_present', { sources: 0, feeds: ['oai-weather'] }, 'not_applicable'],
    ['country_applied', { country: { asked: undefined, applied: 'US', sent: false } }, 'not_applicable'],
    ['country_applied', { country: { asked: 'DE', applied: undefined, sent: false } }, 'not_applicable'],
    ['country_applied', { country: { asked: 'DE', applied: undefined, sent: true } }, 'ok'],
  ])('%s of %j is %s', (id, change, status) => {
    expect(statusOf(id, change)).toBe(status);
    expect(judgeAnswer({ ...good, ...change }).status).toBe('ok');
  });

  it.each([undefined, 'DE'])('tells which way the country went, whether or not the upstream names it: %s', (applied) => {
    const country = { asked: 'DE', applied, sent: true, way: 'In words' };
    expect(judgeAnswer({ ...good, country }).checks).toContainEqual({ id: 'country_applied', status: 'ok', detail: 'In words' });
  });

  it('tells why a check failed', () => {
    expect(judgeAnswer({ ...good, complete: false, endedBy: 'max_output_tokens' }).checks).toContainEqual({
      id: 'complete_stream',
      status: 'failed',
      detail: 'max_output_tokens',
    });
  });
});
