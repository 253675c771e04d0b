import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { enableSigning } from '@overheard/database';
import { contracts } from '@overheard/providers/contracts';
import { until } from '@overheard/testing';
import { type Tenant, useStack } from './stack.js';

// What public clients of the hosted service send and read, by their sources in 2026: elmohq/elmo, cloro-dev/geo-tracker
// and cloro-dev/mcp-server. They are moved here by their base address alone, so these shapes stay as they are.

const ENCRYPTION_KEY = randomBytes(32).toString('base64');
const stack = useStack({
  services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'],
  env: { PROVIDERS: 'CHATGPT,PERPLEXITY,COPILOT,GEMINI,GROK', ENCRYPTION_KEY },
});
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant()));

const QUESTION = 'What is a well-reviewed speaker?';

describe('elmohq/elmo', () => {
  test.each([
    ['CHATGPT', { markdown: true, searchQueries: true }],
    ['PERPLEXITY', { markdown: true }],
    ['COPILOT', { markdown: true }],
    ['GEMINI', { markdown: true }],
  ])('submits a %s task, polls it by task.id, and finds the result itself in response', async (taskType, include) => {
    const submitted = await tenant.post('/v1/async/task', { taskType, payload: { prompt: QUESTION, country: 'US', include } });
    expect(submitted.headers.get('content-type')).toContain('application/json');
    expect(submitted.body).toMatchObject({ success: true, task: { id: expect.any(String), status: 'QUEUED' } });
    const { task, response } = (await tenant.over(submitted.body.task.id)).body;
    expect(task.status).toBe('COMPLETED');
    expect([typeof response.text, typeof response.markdown]).toEqual(['string', 'string']);
    for (const { url, label, position } of response.sources) expect([typeof url, typeof label, typeof position]).toEqual(['string', 'string', 'number']);
    for (const { url, label, domain } of response.citationPills ?? [])
      expect([typeof url, typeof label, typeof domain]).toEqual(['string', 'string', 'string']);
    if ('model' in response) expect(typeof response.model).toBe('string');
    if (taskType === 'CHATGPT') expect(response.searchQueries.every((query: unknown) => typeof query === 'string')).toBe(true);
  });

  test('asks Google for its overview with the options inside, and never counts an unfinished task as over', async () => {
    const { status, body } = await tenant.post('/v1/async/task', {
      taskType: 'GOOGLE',
      payload: { query: 'best running shoes', country: 'US', include: { aioverview: { markdown: true } } },
    });
    expect(status).toBe(202);
    // Nobody serves that provider here.
    expect((await tenant.read(body.task.id)).body).toMatchObject({ task: { status: 'QUEUED' }, response: {} });
  });
});

describe('cloro-dev/geo-tracker', () => {
  test.each(contracts.map(({ id }) => [id, id.startsWith('GOOGLE') ? 'query' : 'prompt']))(
    'submits a %s task by %s and country alone',
    async (taskType, field) => {
      const webhook = { url: `${stack.sandboxUrl}/_inbox/tracker?token=a%20token` };
      const { status, body } = await tenant.post('/v1/async/task', {
        taskType,
        payload: { [field]: QUESTION, country: 'US' },
        idempotencyKey: `run-1:${taskType}`,
        webhook,
      });
      expect([status, body.task.id]).toEqual([202, body.taskId]);
    },
  );

  test('reads the charge, and an error’s code, message and details', async () => {
    const { body } = await tenant.create();
    const over = (await tenant.over(body.task.id)).body;
    expect(over.credits.creditsCharged).toBe(5);
    // It looks for a result inside the result, and takes the whole when there is none.
    expect(over.response.result).toBeUndefined();
    await tenant.create({ idempotencyKey: 'twice' });
    const { status, body: refused } = await tenant.create({ idempotencyKey: 'twice' });
    expect(status).toBe(409);
    expect(refused.error).toMatchObject({ code: expect.any(String), message: expect.any(String), details: { taskId: expect.any(String) } });
  });

  test('gets a delivery whose signature it can verify: the whole secret, the time, a dot, the raw body', async () => {
    const signer = await stack.tenant();
    const { secret = '' } = await enableSigning(stack.database, Buffer.from(ENCRYPTION_KEY, 'base64'), signer.accountId);
    const { body } = await signer.create({ webhook: { url: `${stack.sandboxUrl}/_inbox/signed` } });
    const [delivery] = await until('the delivery', async () => {
      const came = (await (await fetch(`${stack.sandboxUrl}/_inbox/signed`)).json()) as { headers: Record<string, string>; body: string }[];
      return came.length > 0 && came;
    });
    const timestamp = Number(delivery?.headers['x-service-timestamp']);
    expect(Math.abs(Date.now() / 1000 - timestamp)).toBeLessThan(300);
    const expected = createHmac('sha256', secret).update(`${timestamp}.${delivery?.body}`).digest('hex');
    expect(timingSafeEqual(Buffer.from(expected), Buffer.from((delivery?.headers['x-service-signature'] ?? '').replace(/^v1=/, '')))).toBe(true);
    const told = JSON.parse(delivery?.body ?? '');
    expect(told).toMatchObject({ task: { id: body.task.id, status: 'COMPLETED' }, credits: { creditsCharged: 5 }, response: { text: expect.any(String) } });
  });
});

describe('cloro-dev/mcp-server', () => {
  test.each(['chatgpt', 'gemini', 'copilot', 'perplexity', 'grok'])('asks %s, takes result, and reads both credit headers as numbers', async (path) => {
    const { status, headers, body } = await tenant.post(`/v1/monitor/${path}`, { prompt: QUESTION, country: 'US', include: { markdown: true } });
    expect([status, typeof body.result.markdown]).toEqual([200, 'string']);
    const [charged, remaining] = ['X-Credits-Charged', 'X-Credits-Remaining'].map((name) => Number(headers.get(name) ?? NaN));
    expect(charged).toBeGreaterThan(0);
    expect(remaining).toBeGreaterThan(0);
  });

  test('sends options that this service does not have: they are ignored, and named', async () => {
    const { status, headers } = await tenant.ask({ legacy: true, state: 'CA' });
    expect([status, headers.get('x-ignored-fields')]).toEqual([200, 'legacy, state']);
    const { body } = await tenant.post('/v1/estimate', {
      taskType: 'GOOGLE',
      payload: { query: 'mugs', gl: 'us', hl: 'en', include: { aioverview: true, paaAioverview: true } },
    });
    expect(body.creditsToCharge).toBe(7);
  });

  test('reads an error’s code, message and details, whatever refused it', async () => {
    const poor = await stack.tenant({ credits: 0 });
    const errors = [await poor.ask(), await stack.as('sk_live_x').ask(), await stack.as().get('/v1/countries'), await tenant.ask({ prompt: '#badkey' })];
    expect(errors.map(({ status, body }) => [status, typeof body.error.code, typeof body.error.message, typeof body.error.timestamp])).toEqual(
      [403, 401, 401, 502].map((status) => [status, 'string', 'string', 'string']),
    );
    expect(errors[0]?.body.error.details).toEqual({ required: 5, available: 0 });
  });

  test.each(['aimode', 'aioverview', 'chatgpt', 'copilot', 'gemini', 'google', 'grok', 'perplexity'])(
    'lists the countries of %s, and finds no credits in that answer',
    async (model) => {
      const { body, headers } = await tenant.get(`/v1/countries?model=${model}`);
      expect(body).toContain('US');
      expect([headers.get('x-credits-charged'), headers.get('x-credits-remaining')]).toEqual([null, null]);
    },
  );
});
