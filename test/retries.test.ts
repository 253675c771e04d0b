import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Reply, type Tenant, useStack } from './stack.js';

// Ten attempts take half a minute with their waits: those tasks are begun first and looked at last.
const LONG_MS = 75_000;

const stack = useStack();
let tenant: Tenant;
let usedUp: Record<'blocked' | 'empty', Promise<Reply>>;
beforeAll(async () => {
  tenant = await stack.tenant();
  const begin = async (word: string) =>
    tenant.over((await tenant.create({ payload: { prompt: `Never? #${word} #nonce=never-${word}` } })).body.taskId, LONG_MS);
  usedUp = { blocked: begin('blocked'), empty: begin('empty') };
});

const statusesOf = async (nonce: string) => (await stack.calls(nonce)).map(({ status }) => status);
const taskOf = async ({ headers }: Reply) => (await tenant.read(headers.get('x-request-id') ?? '')).body;

describe('an upstream that fails for a while', () => {
  test.each([
    ['three times', '#fail=3', [503, 500, 503, 200]],
    ['twice, for its rate limit', '#ratelimit=2', [429, 429, 200]],
    ['twice, for a challenge page', '#blocked=2', [403, 403, 200]],
    ['in one way after the other', '#blocked=1 #ratelimit=1 #fail=1', [403, 429, 503, 200]],
  ])('%s is asked again until it answers, and charged once', async (_what, words, statuses) => {
    const nonce = words.replace(/[^a-z0-9]+/g, '-');
    const reply = await tenant.ask({ prompt: `Again? ${words} #nonce=${nonce}` });
    expect([reply.status, reply.headers.get('x-credits-charged')]).toEqual([200, '5']);
    expect((await statusesOf(nonce)).map(Number)).toEqual(statuses);
    expect(await taskOf(reply)).toMatchObject({ task: { status: 'COMPLETED', attempts: statuses.length }, credits: { creditsCharged: 5 } });
  });

  test('by breaking off its answers is asked twice more, and the best of them is returned, charged, and said to be degraded', async () => {
    const reply = await tenant.ask({ prompt: 'Half? #truncate #nonce=half' });
    expect([reply.status, reply.headers.get('x-credits-charged'), reply.body.quality.status]).toEqual([200, '5', 'degraded']);
    expect(reply.body.quality.checks).toContainEqual(expect.objectContaining({ id: 'complete_stream', status: 'failed' }));
    expect(await statusesOf('half')).toEqual([200, 200, 200]);
  });
});

describe('an upstream that fails for good', () => {
  test.each([
    ['badkey', 'rejected_credentials'],
    ['quota', 'quota_exhausted'],
  ])('by #%s is asked once: 502, free', async (word, reason) => {
    const reply = await tenant.ask({ prompt: `Why? #${word} #nonce=${word}` });
    expect([reply.status, reply.body.error.details, reply.headers.get('x-credits-charged')]).toEqual([502, { service: 'OpenAI', attempts: 1, reason }, '0']);
    expect(await statusesOf(word)).toHaveLength(1);
    expect(await taskOf(reply)).toMatchObject({ task: { status: 'FAILED', attempts: 1 }, credits: { creditsCharged: 0 } });
  });

  test.each([
    ['blocked', 'blocked'],
    ['empty', 'invalid_answer'],
  ] as const)(
    'by #%s is asked ten times, then given up, free',
    async (word, reason) => {
      const { body } = await usedUp[word];
      expect(body).toMatchObject({
        task: { status: 'FAILED', attempts: 10 },
        credits: { creditsCharged: 0 },
        response: {
          error: { code: 'EXTERNAL_SERVICE_ERROR', message: 'External service error: OpenAI', details: { service: 'OpenAI', attempts: 10, reason } },
        },
      });
      expect(await statusesOf(`never-${word}`)).toHaveLength(10);
      expect((await stack.requestLog(tenant.accountId)).find(({ requestId }) => requestId === body.task.id)).toMatchObject({
        statusCode: 502,
        creditsCharged: 0,
      });
    },
    LONG_MS,
  );
});
