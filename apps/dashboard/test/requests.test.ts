import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { lendHiddenKey } from '@overheard/database';
import { type Tenant, useStack } from '../../../test/stack.js';
import { ROUTES } from '../src/api.js';
import { firstIdOf } from '../src/requests/filters.js';
import { personIn, type Visitor } from './visitor.js';

const stack = useStack({ services: ['dashboard'] });
let tenant: Tenant;
let viewer: Visitor;
let stranger: Visitor;

interface Row {
  minutesAgo: number;
  provider?: string | null;
  prompt?: string;
  country?: string;
  mode?: 'sync' | 'async';
  state?: 'open' | 'settled' | 'refused';
  status_code?: number;
  latency_ms?: number;
  key_id?: string;
  account_id?: string;
}

/** A row of the log as the gateway leaves it; gives its id. */
async function logged({ minutesAgo, ...row }: Row): Promise<string> {
  const id = `${firstIdOf(Date.now() - minutesAgo * 60_000).slice(0, 14)}7${randomUUID().slice(15)}`;
  const filled = {
    provider: 'GEMINI',
    prompt: 'hello',
    country: 'US',
    mode: 'sync' as const,
    state: 'settled' as const,
    status_code: 200,
    latency_ms: 1200,
    ...row,
  };
  const values = { id, account_id: tenant.accountId, key_id: tenant.keyId, test: false, credits_to_charge: 4, credits_charged: 4, ...filled };
  await stack.database.insertInto('requests').values(values).execute();
  return id;
}

const ids: Record<string, string> = {};
beforeAll(async () => {
  tenant = await stack.tenant({}, { name: 'first key' });
  viewer = await personIn(stack, tenant.accountId, 'viewer');
  const other = await stack.tenant();
  stranger = await personIn(stack, other.accountId, 'owner');
  await lendHiddenKey(stack.database, {
    accountId: tenant.accountId,
    person: viewer.email,
    test: false,
    key: `sk_live_${randomBytes(32).toString('base64url')}`,
    forMs: 1000,
  });
  const hidden = await stack.database.selectFrom('api_keys').select('id').where('hidden', '=', true).executeTakeFirstOrThrow();
  ids['oldest'] = await logged({ minutesAgo: 300, prompt: 'red running shoes, 50% off', country: 'DE', mode: 'async', key_id: hidden.id });
  ids['failed'] = await logged({ minutesAgo: 200, provider: 'GROK', prompt: 'Blue_shoes for RUNNING', status_code: 502 });
  ids['refused'] = await logged({ minutesAgo: 100, provider: null, prompt: 'x'.repeat(500), state: 'refused', status_code: 400 });
  ids['open'] = await logged({ minutesAgo: 1.5, prompt: '=HYPERLINK("https://evil.example","a"),\n"b"', mode: 'async', state: 'open', status_code: 202 });
  ids['waited for'] = await logged({ minutesAgo: 1, prompt: 'café 漢字 🚲', state: 'open', status_code: 0 });
  ids['not theirs'] = await logged({ minutesAgo: 1, prompt: 'red running shoes', account_id: other.accountId, key_id: other.keyId });
});

const nameOf = (id: string) => Object.entries(ids).find(([, one]) => one === id)?.[0];
const listed = async (query = '', who = viewer): Promise<(string | undefined)[]> => {
  const { status, body, text } = await who.get(`${ROUTES.requests}?${query}`);
  if (status !== 200) throw new Error(text);
  return body.requests.map(({ id }: { id: string }) => nameOf(id));
};

describe('the list', () => {
  test('is newest first, with what is in progress and what was refused, and of this account alone', async () => {
    expect(await listed()).toEqual(['waited for', 'open', 'refused', 'failed', 'oldest']);
    expect(await listed('', stranger)).toEqual(['not theirs']);
  });

  test('says of each what it was, how it went, and with whose key', async () => {
    const { body } = await viewer.get(ROUTES.requests);
    const byName = Object.fromEntries(body.requests.map((entry: { id: string }) => [nameOf(entry.id), entry]));
    expect(byName.failed).toEqual({
      id: ids['failed'],
      provider: 'GROK',
      mode: 'sync',
      prompt: 'Blue_shoes for RUNNING',
      country: 'US',
      status: 'failed',
      statusCode: 502,
      creditsToCharge: 4,
      creditsCharged: 4,
      latencyMs: 1200,
      createdAt: expect.any(String),
      test: false,
      key: { id: tenant.keyId, name: 'first key', person: null },
    });
    expect([byName.open.status, byName.open.statusCode, byName['waited for'].statusCode]).toEqual(['in_progress', null, null]);
    expect([byName.refused.status, byName.refused.prompt.length]).toEqual(['refused', 300]);
    expect(byName.oldest.key).toMatchObject({ name: null, person: viewer.email });
  });

  const cases: [query: string, names: string[]][] = [
    ['provider=GROK', ['failed']],
    ['provider=', ['waited for', 'open', 'refused', 'failed', 'oldest']],
    ['status=ok', ['oldest']],
    ['status=failed', ['failed']],
    ['status=in_progress', ['waited for', 'open']],
    ['status=refused', ['refused']],
    ['status=502', ['failed']],
    ['status=202', []],
    ['country=de', ['oldest']],
    ['mode=async', ['open', 'oldest']],
    ['key={key}', ['waited for', 'open', 'refused', 'failed']],
    ['from={250 minutes ago}', ['waited for', 'open', 'refused', 'failed']],
    ['from={250 minutes ago}&to={50 minutes ago}', ['refused', 'failed']],
    ['search=running%20SHOES', ['failed', 'oldest']],
    ['search=50%25', ['oldest']],
    ['search=%25', ['oldest']],
    ['search=e_s', ['failed']],
    ['search=漢字', ['waited for']],
    ["search='%20or%20true%20--", []],
    ['search={failed}', ['failed']],
    ['search={not theirs}', []],
    ['ids={failed},{open},{not theirs}', ['open', 'failed']],
    ['since={refused}', ['waited for', 'open', 'refused']],
    // The last minute before it comes once more.
    ['since={waited for}', ['waited for', 'open']],
    ['provider=GEMINI&mode=async&status=ok&country=DE&search=shoes', ['oldest']],
  ];
  test.each(cases)('filters by %s', async (query, names) => {
    const meant = (name: string) => ids[name] ?? (name === 'key' ? tenant.keyId : new Date(Date.now() - Number.parseInt(name, 10) * 60_000).toISOString());
    expect(await listed(query.replace(/\{(.+?)\}/g, (_all, name: string) => meant(name)))).toEqual(names);
  });

  test.each([8, 13, 23])('finds a request by the first %i characters of its id, in any case', async (length) => {
    expect(await listed(`search=${ids['failed']?.slice(0, length).toUpperCase()}`)).toContain('failed');
  });

  test('comes in pages that neither repeat nor leave out anything', async () => {
    const pages: unknown[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: any } = await viewer.get(`${ROUTES.requests}?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      pages.push(body.requests.map(({ id }: { id: string }) => nameOf(id)));
      cursor = body.nextCursor;
    } while (cursor);
    expect(pages).toEqual([['waited for', 'open'], ['refused', 'failed'], ['oldest']]);
  });

  test.each([
    'status=good',
    'mode=x',
    'from=yesterday',
    'cursor=x',
    'limit=0',
    'limit=1000',
    'ids=x',
    'key=x',
    `search=${'x'.repeat(501)}`,
    'search=%00',
    'provider=a&provider=b',
  ])('says what is wrong with %s', async (query) => {
    const { status, body } = await viewer.get(`${ROUTES.requests}?${query}`);
    expect([status, typeof body.error.message, Object.keys(body.error.fields).length]).toEqual([400, 'string', 1]);
  });
});

describe('one request', () => {
  test('of another account is as unknown as one that never was', async () => {
    const [foreign, never] = [await viewer.get(ROUTES.requestOf(ids['not theirs'] ?? '')), await viewer.get(ROUTES.requestOf(randomUUID()))];
    expect([foreign.status, foreign.text]).toEqual([404, never.text]);
  });

  test('has the whole prompt, and its payload and answer no longer than they are kept', async () => {
    const id = await logged({ minutesAgo: 10, prompt: 'y'.repeat(400), mode: 'async' });
    const task = { id, account_id: tenant.accountId, provider: 'GEMINI', status: 'COMPLETED' as const, claims: 1, response: '{"text":"an answer"}' };
    await stack.database.updateTable('requests').set({ payload: '{"prompt":"hello"}' }).where('id', '=', id).execute();
    await stack.database
      .insertInto('tasks')
      .values({ ...task, expires_at: new Date(Date.now() + 60_000), completed_at: new Date() })
      .execute();
    const kept = (await viewer.get(ROUTES.requestOf(id))).body;
    expect([kept.prompt.length, kept.payload, kept.result, kept.isExpired]).toEqual([400, { prompt: 'hello' }, '{"text":"an answer"}', false]);
    await stack.database
      .updateTable('tasks')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', id)
      .execute();
    const expired = (await viewer.get(ROUTES.requestOf(id))).body;
    expect([expired.payload, expired.result, expired.call, expired.isExpired]).toEqual([null, null, null, true]);
  });
});

describe('an export', () => {
  const lines = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('has everything that the filters let through, whole prompts, one a line', async () => {
    const { headers, text } = await viewer.get(`${ROUTES.requestsNdjson}?to=${new Date(Date.now() - 90_000 * 60).toISOString()}`);
    expect([headers.get('content-type'), headers.get('content-disposition'), headers.get('cache-control')]).toEqual([
      'application/x-ndjson',
      'attachment; filename="requests.ndjson"',
      'no-store',
    ]);
    expect(lines(text).map(({ id }) => nameOf(id))).toEqual(['refused', 'failed', 'oldest']);
    expect([lines(text)[0].prompt.length, lines(text)[2]]).toEqual([500, expect.objectContaining({ keyName: null, person: viewer.email, status: 'ok' })]);
    expect(lines((await stranger.get(ROUTES.requestsNdjson)).text).map(({ id }) => nameOf(id))).toEqual(['not theirs']);
  });

  test('as CSV holds no formula, and keeps commas, quotes and line breaks inside their cells', async () => {
    const { headers, text } = await viewer.get(`${ROUTES.requestsCsv}?search=HYPERLINK`);
    const [head = '', ...rows] = text.replace('\uFEFF', '').split('\n');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(head).toBe('id,createdAt,provider,mode,country,prompt,status,statusCode,creditsCharged,latencyMs,test,keyId,keyName,person');
    expect(rows.join('\n')).toContain(`,"'=HYPERLINK(""https://evil.example"",""a""),\n""b""",in_progress,,4,1200,false,`);
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('as CSV makes %j harmless', async (prompt) => {
    const id = await logged({ minutesAgo: 30, prompt });
    const { text } = await viewer.get(`${ROUTES.requestsCsv}?search=${id}`);
    expect(text).toContain(`'${prompt}`);
  });

  test('of many thousand requests is complete and in order', async () => {
    const many = await stack.tenant();
    const visitor = await personIn(stack, many.accountId, 'viewer');
    const rows = Array.from({ length: 2500 }, (_, index) => ({
      id: `${firstIdOf(Date.now() - index * 1000).slice(0, 14)}7${randomUUID().slice(15)}`,
      ...{ account_id: many.accountId, key_id: many.keyId, test: false, provider: 'GROK', mode: 'sync' as const, state: 'settled' as const },
      ...{ status_code: 200, credits_to_charge: 1, credits_charged: 1 },
    }));
    await stack.database.insertInto('requests').values(rows).execute();
    const exported = lines((await visitor.get(ROUTES.requestsNdjson)).text).map(({ id }) => id);
    expect(exported).toEqual(rows.map(({ id }) => id));
  });

  test('with a wrong filter is no file', async () => {
    expect((await viewer.get(`${ROUTES.requestsCsv}?status=good`)).status).toBe(400);
  });
});
