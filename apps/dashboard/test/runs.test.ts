import { beforeAll, describe, expect, test } from '@jest/globals';
import { listKeys } from '@overheard/database';
import { until } from '@overheard/testing';
import { type Tenant, useStack } from '../../../test/stack.js';
import { type RequestDetail, ROUTES } from '../src/api.js';
import { personIn, type Visitor } from './visitor.js';

const stack = useStack({ services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'dashboard', 'sandbox'] });
const ASKED = { prompt: 'Which travel mug keeps coffee hot longest?', country: 'US' };
let tenant: Tenant;
let owner: Visitor;
let member: Visitor;
let stranger: Visitor;
beforeAll(async () => {
  [tenant] = await Promise.all([stack.tenant({}, { name: 'their key' })]);
  owner = await personIn(stack, tenant.accountId, 'owner');
  member = await personIn(stack, tenant.accountId, 'member');
  stranger = await personIn(stack, (await stack.tenant()).accountId, 'owner');
});

const run = async (payload: object = {}, rest: object = {}): Promise<string> => {
  const { status, body, text } = await member.post(ROUTES.playground, { provider: 'CHATGPT', payload: { ...ASKED, ...payload }, ...rest });
  if (status !== 200) throw new Error(text);
  return body.requestId;
};
const over = (id: string): Promise<RequestDetail> =>
  until('the request to be over', async () => {
    const { body } = await member.get(ROUTES.requestOf(id));
    return body.status !== 'in_progress' && (body as RequestDetail);
  });
const kinds = ({ timeline }: RequestDetail) => timeline.map(({ kind }) => kind);

describe('a run from the playground', () => {
  test('is a task like any other, in the log with the person’s name, and charged', async () => {
    const id = await run({ include: { rawResponse: true, html: true } });
    const detail = await over(id);
    expect(detail).toMatchObject({
      id,
      provider: 'CHATGPT',
      mode: 'async',
      status: 'ok',
      statusCode: 200,
      creditsCharged: 7,
      upstream: 'sandbox',
      isExpired: false,
      test: false,
      key: { name: null, person: member.email },
      payload: { ...ASKED, include: { rawResponse: true } },
      quality: { status: 'ok' },
      error: null,
    });
    const result = JSON.parse(detail.result ?? '');
    expect([typeof result.text, result.rawResponse.length > 0, result.html.startsWith(`${stack.baseUrl}/html/`)]).toEqual(['string', true, true]);
    expect(kinds(detail)).toEqual(['queued', 'published', 'started', 'attempt', 'completed']);
    expect(detail.timings).toEqual({ queueMs: expect.any(Number), upstreamMs: expect.any(Number), parseMs: expect.any(Number) });
    expect((await owner.get(ROUTES.audit)).body.entries[0]).toMatchObject({ person: member.email, action: 'request.run', subject: id });
  });

  test('tells each attempt with its start, duration and reason', async () => {
    const detail = await over(await run({ prompt: `#fail=2 #nonce=${Date.now()} hello` }));
    const attempts = detail.timeline.filter((event) => event.kind === 'attempt');
    expect(attempts.map(({ attempt, reason }) => [attempt, reason])).toEqual([
      [1, 'unavailable'],
      [2, 'unavailable'],
      [3, null],
    ]);
    expect(attempts[0]).toMatchObject({ ms: expect.any(Number), message: expect.stringMatching(/\S/) });
    const moments = detail.timeline.map(({ at }) => Date.parse(at));
    expect(moments).toEqual([...moments].sort((one, two) => one - two));
  });

  test('that fails for good says why, and costs nothing', async () => {
    const detail = await over(await run({ prompt: '#badkey hello' }));
    expect(detail).toMatchObject({
      status: 'failed',
      statusCode: 502,
      creditsCharged: 0,
      result: null,
      error: { details: { reason: 'rejected_credentials' } },
    });
    expect(kinds(detail)).toEqual(['queued', 'published', 'started', 'attempt', 'failed']);
  });

  test('with a test key is free', async () => {
    expect(await over(await run({}, { test: true }))).toMatchObject({ test: true, creditsCharged: 0, status: 'ok' });
  });

  test.each([
    [{ provider: 'CHATGPT', payload: { ...ASKED, prompt: '' } }, ['payload.prompt']],
    [{ provider: 'CHATGPT', payload: { country: 'XX' } }, ['payload.country', 'payload.prompt']],
    [{ provider: 'NOBODY', payload: ASKED }, ['provider']],
    [{ provider: 'CHATGPT' }, ['payload']],
  ])('of %j is refused with the field that is wrong', async (given, fields) => {
    for (const route of [ROUTES.playground, ROUTES.estimate]) {
      const { status, body } = await member.post(route, given);
      expect([status, Object.keys(body.error.fields).sort()]).toEqual([400, fields]);
    }
  });

  test('without credits says so', async () => {
    const poor = await personIn(stack, (await stack.tenant({ credits: 1 })).accountId, 'owner');
    const { status, body } = await poor.post(ROUTES.playground, { provider: 'CHATGPT', payload: ASKED });
    expect([status, body.error.message]).toEqual([422, 'Insufficient credits.']);
  });
});

describe('the key it is made with', () => {
  test('is in no list, and can’t be revoked by mistake', async () => {
    const { key } = await over(await run());
    expect((await owner.get(ROUTES.keys)).body.keys.map(({ name }: { name: string }) => name)).toEqual(['their key']);
    expect((await listKeys(stack.database, tenant.accountId)).some(({ keyId }) => keyId === key.id)).toBe(false);
    expect((await owner.post(ROUTES.revocationOf(key.id))).status).toBe(404);
  });

  test('is one row a person, lasts some minutes, and may create tasks only', async () => {
    await Promise.all([run(), run(), run()]);
    const rows = await stack.database
      .selectFrom('api_keys')
      .select(['created_by', 'test', 'scopes', 'expires_at'])
      .where('account_id', '=', tenant.accountId)
      .where('hidden', '=', true)
      .where('test', '=', false)
      .execute();
    expect(rows).toEqual([{ created_by: member.email, test: false, scopes: ['tasks:create'], expires_at: expect.any(Date) }]);
    expect((rows[0]?.expires_at?.getTime() ?? 0) - Date.now()).toBeLessThan(12 * 60_000);
  });
});

describe('an estimate', () => {
  test('is what a run costs, line by line', async () => {
    const { body } = await member.post(ROUTES.estimate, { provider: 'GOOGLE', payload: { query: 'mugs', pages: 3, include: { aioverview: true } } });
    expect(body).toEqual({
      creditsToCharge: 9,
      lineItems: [
        { item: 'base', credits: 3 },
        { item: 'aioverview', credits: 2 },
        { item: 'pages beyond the first', credits: 4 },
      ],
    });
  });
});

describe('running a request again', () => {
  test('asks the same once more, whoever asked first', async () => {
    const first = (await tenant.ask({ include: { searchQueries: true } })).headers.get('x-request-id') ?? '';
    const { status, body } = await member.post(ROUTES.againOf(first));
    expect(status).toBe(200);
    expect(await over(body.requestId)).toMatchObject({ status: 'ok', payload: (await over(first)).payload, key: { person: member.email } });
    expect((await owner.get(ROUTES.audit)).body.entries[0]).toMatchObject({ action: 'request.run_again', subject: first, detail: body.requestId });
  });

  test('of another account is refused like one that never was', async () => {
    expect((await stranger.post(ROUTES.againOf(await run()))).status).toBe(404);
  });

  test('whose payload is gone says so', async () => {
    const id = await run();
    await over(id);
    await stack.database.updateTable('requests').set({ payload: null }).where('id', '=', id).execute();
    expect((await member.post(ROUTES.againOf(id))).status).toBe(409);
  });

  test('as curl is the call that its client made', async () => {
    const sync = (await tenant.ask()).headers.get('x-request-id') ?? '';
    const url = `${stack.sandboxUrl}/_inbox/again`;
    const task = (await tenant.create({ priority: 3, idempotencyKey: 'once', webhook: { url } })).body.taskId;
    const [one, two] = [await over(sync), await over(task)];
    expect(one.call).toEqual({ method: 'POST', url: `${stack.baseUrl}/v1/monitor/chatgpt`, body: one.payload });
    expect(two.call).toEqual({
      method: 'POST',
      url: `${stack.baseUrl}/v1/async/task`,
      body: { taskType: 'CHATGPT', payload: two.payload, priority: 3, webhook: { url } },
    });
    const repeated = await tenant.post('/v1/async/task', two.call?.body);
    expect(repeated.status).toBe(202);
    const delivered = await until('the delivery to be in the timeline', async () => {
      const detail = await over(task);
      return detail.deliveries.some(({ status }) => status === 'delivered') && detail;
    });
    expect(delivered.deliveries).toMatchObject([{ url, status: 'delivered', attempts: [{ attempt: 1, statusCode: 200 }] }]);
    expect(delivered.timeline.at(-1)).toMatchObject({ kind: 'delivery', statusCode: 200, attempt: 1 });
  });
});

describe('providers', () => {
  test('are all there, with what may be asked of them and what options cost', async () => {
    const providers = (await member.get(ROUTES.providers)).body;
    expect(providers.map(({ id }: { id: string }) => id)).toEqual(['CHATGPT', 'PERPLEXITY', 'GROK', 'GEMINI', 'COPILOT', 'AIMODE', 'GOOGLE', 'GOOGLE_NEWS']);
    const byId = Object.fromEntries(providers.map((provider: { id: string }) => [provider.id, provider]));
    expect(byId.CHATGPT).toMatchObject({
      label: 'ChatGPT',
      path: '/v1/monitor/chatgpt',
      promptField: 'prompt',
      optionCredits: { 'include.rawResponse': 2, 'include.searchQueries': 2, 'include.ads': 2, 'include.shopping': 2 },
    });
    expect(byId.GOOGLE).toMatchObject({ promptField: 'query', optionCredits: { 'include.aioverview': 2, 'include.paaAioverview': 2 } });
    expect(byId.PERPLEXITY.optionCredits).toEqual({});
    for (const { schema, promptField, countries } of providers) {
      expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining([promptField, 'country', 'include']));
      expect(countries).toContain('US');
    }
  });
});

describe('webhooks', () => {
  const inbox = (name: string) => `${stack.sandboxUrl}/_inbox/${name}`;
  const finished = (id: string, status: string, attempts = 1) =>
    until(`delivery ${id} to be ${status}`, async () => {
      const { body } = await member.get(ROUTES.deliveryOf(id));
      return body.status === status && body.attempts.length >= attempts && body;
    });

  test('are signed from when an owner says so; each secret is shown once', async () => {
    expect((await member.get(ROUTES.signing)).body).toEqual({ enabled: false, since: null });
    expect((await owner.post(ROUTES.signingRotate)).status).toBe(409);
    const on = (await owner.post(ROUTES.signingEnable)).body;
    expect(on).toEqual({ enabled: true, since: expect.any(String), secret: expect.stringMatching(/^whsec_/) });
    expect((await owner.post(ROUTES.signingEnable)).body).toEqual({ enabled: true, since: on.since });
    const rotated = (await owner.post(ROUTES.signingRotate)).body;
    expect([rotated.enabled, rotated.secret !== on.secret, (await member.get(ROUTES.signing)).body.secret]).toEqual([true, true, undefined]);
    expect((await owner.post(ROUTES.signingDisable)).body).toEqual({ enabled: false, since: null });
    const actions = (await owner.get(ROUTES.audit)).body.entries
      .map(({ action }: { action: string }) => action)
      .filter((action: string) => action.startsWith('signing'));
    expect(actions.slice(0, 3)).toEqual(['signing.disabled', 'signing.rotated', 'signing.enabled']);
    expect((await stack.database.selectFrom('audit_log').selectAll().execute()).some((row) => JSON.stringify(row).includes('whsec_'))).toBe(false);
  });

  test('are tried out with a test delivery, which can be sent again', async () => {
    const { status, body } = await member.post(ROUTES.testDelivery, { url: inbox('tried') });
    expect([status, body]).toMatchObject([200, { url: inbox('tried'), status: 'pending', attempts: [] }]);
    const sent = await finished(body.id, 'delivered');
    expect(sent).toMatchObject({ body: expect.stringContaining('A test delivery'), attempts: [{ attempt: 1, statusCode: 200, error: null, answer: null }] });
    expect((await member.post(ROUTES.redeliveryOf(body.id))).status).toBe(200);
    expect((await finished(body.id, 'delivered', 2)).attempts).toHaveLength(2);
    expect((await owner.get(ROUTES.audit)).body.entries.slice(0, 2)).toMatchObject([
      { action: 'delivery.redelivered', subject: body.id },
      { action: 'delivery.test_sent', subject: inbox('tried') },
    ]);
    expect((await member.get(`${ROUTES.deliveries}?requestId=${body.requestId}`)).body.deliveries).toMatchObject([{ id: body.id }]);
    expect((await member.get(`${ROUTES.deliveries}?status=failed`)).body.deliveries).toEqual([]);
  });

  test('of another account are unknown', async () => {
    const { body } = await member.post(ROUTES.testDelivery, { url: inbox('theirs') });
    expect([(await stranger.get(ROUTES.deliveryOf(body.id))).status, (await stranger.post(ROUTES.redeliveryOf(body.id))).status]).toEqual([404, 404]);
    expect((await stranger.get(ROUTES.deliveries)).body).toEqual({ deliveries: [], nextCursor: null });
  });

  test('whose task has expired are not sent again', async () => {
    const { body } = await member.post(ROUTES.testDelivery, { url: inbox('expired') });
    await finished(body.id, 'delivered');
    await stack.database.updateTable('deliveries').set({ body: null }).where('id', '=', body.id).execute();
    expect((await member.post(ROUTES.redeliveryOf(body.id))).status).toBe(409);
    expect((await member.get(ROUTES.deliveryOf(body.id))).body.body).toBeNull();
  });

  test.each(['', 'x', 'ftp://example.com/', 'javascript:alert(1)'])('are not tried out with the address %j', async (url) => {
    expect((await member.post(ROUTES.testDelivery, { url })).status).toBe(400);
  });
});
