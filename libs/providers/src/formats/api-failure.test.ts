import { describe, expect, it } from '@jest/globals';
import type { FailureReason } from '@overheard/contracts';
import { apiFailure, httpFailure } from './api-failure.js';

const said = (status: number, text: string, headers: Record<string, string> = {}) => httpFailure({ status, headers: new Headers(headers), text });
const error = (code: string | number | null, type: string | null = null, message = 'No.') => ({ error: { code, type, message } });

describe('what a refusal over HTTP means', () => {
  it.each<[number, object | string, FailureReason]>([
    [400, error('context_length_exceeded', 'invalid_request_error'), 'rejected_request'],
    [400, error('invalid-argument', null, 'Incorrect API key provided: xa***.'), 'rejected_credentials'],
    [400, { code: 'invalid-argument', error: 'Incorrect API key provided: xa***.' }, 'rejected_credentials'],
    [401, error('invalid_api_key'), 'rejected_credentials'],
    [401, '', 'rejected_credentials'],
    [401, { ...error('invalid_api_key'), status: 401 }, 'rejected_credentials'],
    [402, '', 'quota_exhausted'],
    [403, error('model_forbidden'), 'rejected_credentials'],
    [403, error('unsupported_country_region_territory'), 'blocked'],
    [404, error('model_not_found'), 'rejected_request'],
    [400, { error: { code: 400, message: 'API key expired. Please renew the API key.', status: 'INVALID_ARGUMENT' } }, 'rejected_credentials'],
    [403, { error: { code: 7, message: 'Request rejected by anti-bot rules.' } }, 'blocked'],
    [408, '', 'timeout'],
    [409, '', 'unavailable'],
    [422, '', 'rejected_request'],
    [429, error('rate_limit_exceeded', 'tokens'), 'rate_limited'],
    [429, error('insufficient_quota', 'insufficient_quota'), 'quota_exhausted'],
    [499, { error: { code: 499, status: 'CANCELLED', message: 'The operation was cancelled.' } }, 'unavailable'],
    [500, error('server_error'), 'unavailable'],
    [504, '', 'timeout'],
    [529, 'overloaded', 'unavailable'],
  ])('%i %j is %s', (status, body, reason) => {
    expect(said(status, typeof body === 'string' ? body : JSON.stringify(body)).reason).toBe(reason);
  });

  it.each<[number, string, FailureReason]>([
    [403, '<!DOCTYPE html><title>Just a moment...</title>', 'blocked'],
    [503, '<html><title>Just a moment...</title></html>', 'blocked'],
    [429, '<html>error code: 1015</html>', 'rate_limited'],
    [502, '<html><h1>502 Bad Gateway</h1></html>', 'unavailable'],
    [404, '<html>nginx</html>', 'rejected_request'],
  ])('a page with status %i: %s is %s', (status, page, reason) => {
    expect(said(status, page).reason).toBe(reason);
  });

  it('keeps the upstream’s own delay where waiting helps', () => {
    expect(said(429, JSON.stringify(error('rate_limit_exceeded')), { 'retry-after': '3' }).retryAfterMs).toBe(3000);
    expect(said(429, JSON.stringify(error('insufficient_quota')), { 'retry-after': '3' }).retryAfterMs).toBeUndefined();
  });
});

describe('what an error without a status means', () => {
  it.each<[object, FailureReason]>([
    [error('rate_limit_exceeded', 'tokens'), 'rate_limited'],
    [error('insufficient_quota'), 'quota_exhausted'],
    [error('server_error'), 'unavailable'],
    [error('vector_store_timeout'), 'unavailable'],
    [error('invalid_prompt'), 'rejected_request'],
    [error('decimal_below_min_value', 'invalid_request_error'), 'rejected_request'],
    [error('context_length_exceeded'), 'rejected_request'],
    [error(401, null, 'Unauthorized'), 'rejected_credentials'],
    [error('429', null, 'Slow down'), 'rate_limited'],
    [error(8, null, 'You have reached the limit of this model.'), 'rate_limited'],
    [error(16, null, 'Not signed in.'), 'rejected_credentials'],
    [{ code: 'Some resource has been exhausted', error: 'Too many.' }, 'rate_limited'],
    [{ type: 'error', code: 'rate_limit_exceeded', message: 'Please try again in 1.2s.' }, 'rate_limited'],
    [{}, 'unavailable'],
  ])('%j is %s', (body, reason) => {
    expect(apiFailure(body).reason).toBe(reason);
  });

  it('is a rate limit, whatever its words, when it says when to come back', () => {
    const info = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' };
    const spent = { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'You exceeded your current quota, please check your plan.' };
    expect(apiFailure({ error: { ...spent, details: [info] } })).toMatchObject({ reason: 'rate_limited', retryAfterMs: 34_400 });
    expect(apiFailure({ error: spent })).toMatchObject({ reason: 'quota_exhausted', retryAfterMs: undefined });
  });

  it('may hold its delay in words', () => {
    expect(apiFailure(error('rate_limit_exceeded', 'requests', 'Please try again in 1.2s.')).retryAfterMs).toBe(1200);
  });
});
