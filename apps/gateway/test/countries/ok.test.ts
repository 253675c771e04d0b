import { beforeAll, expect, test } from '@jest/globals';
import { ISO_COUNTRIES } from '@overheard/contracts';
import { type Tenant, useStack } from '../../../../test/stack.js';

const MODELS = ['aimode', 'aioverview', 'chatgpt', 'copilot', 'gemini', 'google', 'grok', 'perplexity'];

const stack = useStack({ services: ['gateway'] });
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant({}, { scopes: ['webhooks:manage'] })));

test.each(MODELS)('any key reads the countries of %s: ISO codes in order, each once', async (model) => {
  const { status, body, headers } = await tenant.get(`/v1/countries?model=${model}`);
  expect(status).toBe(200);
  expect(body).toEqual([...new Set(body)].sort());
  expect(body.filter((code: string) => !ISO_COUNTRIES.includes(code))).toEqual([]);
  expect(body).toContain('US');
  expect(headers.get('cache-control')).toMatch(/max-age=86400/);
});

test('without a model all supported countries are read, and models differ', async () => {
  const all: string[] = (await tenant.get('/v1/countries')).body;
  const lists: string[][] = await Promise.all(MODELS.map(async (model) => (await tenant.get(`/v1/countries?model=${model}`)).body));
  expect(all).toEqual([...new Set(lists.flat())].sort());
  expect(new Set(lists.map((list) => list.join())).size).toBeGreaterThan(2);
});

test('a country of the list is taken by its endpoint, one that is missing is not', async () => {
  const supported: string[] = (await tenant.get('/v1/countries?model=chatgpt')).body;
  const missing = ISO_COUNTRIES.find((code) => !supported.includes(code));
  const asker = await stack.tenant({ credits: 0 });
  // Whoever has no credits gets no further than this.
  expect((await asker.ask({ country: supported[0] })).status).toBe(403);
  expect((await asker.ask({ country: missing })).body.details).toEqual([{ field: 'country', message: 'Invalid country code' }]);
});
