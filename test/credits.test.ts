import { expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { useStack } from './stack.js';

const stack = useStack();

/** When nothing of an account is under way any more. */
const settled = (accountId: string) =>
  until(
    'all credits to be settled',
    async () => {
      const credits = await stack.credits(accountId);
      expect(credits.balance + credits.reserved + credits.charged).toBe(credits.granted);
      return credits.reserved === 0 && credits;
    },
    50_000,
  );

test('of many requests at once, of both kinds, good and bad, each is charged by its own outcome and once', async () => {
  const tenant = await stack.tenant({ credits: 10_000 });
  const tester = await stack.anotherKey(tenant.accountId, { test: true });
  const kinds = [
    { payload: { prompt: 'Good?' }, credits: 5 },
    { payload: { prompt: 'Good and dear?', include: { searchQueries: true, rawResponse: true } }, credits: 7 },
    { payload: { prompt: 'Better the second time? #fail=1' }, credits: 5 },
    { payload: { prompt: 'No key? #badkey' }, credits: 0 },
    { payload: { prompt: 'No quota? #quota', include: { ads: true } }, credits: 0 },
    { payload: { prompt: '' }, credits: 0 },
  ];
  const mixed = Array.from({ length: 48 }, (_none, index) => ({ ...(kinds[index % kinds.length] as (typeof kinds)[number]), index }));
  const watching = new AbortController();
  const watch = (async () => {
    for (; !watching.signal.aborted;) {
      const { granted, balance, reserved, charged } = await stack.credits(tenant.accountId);
      expect([balance + reserved + charged, balance >= 0]).toEqual([granted, true]);
    }
  })();
  await Promise.all(
    mixed.map(async ({ payload, credits, index }) => {
      // `#fail` counts by prompt.
      const asked = payload.prompt ? { ...payload, prompt: `${payload.prompt} ${index}` } : payload;
      const client = index % 12 === 11 ? tester : tenant;
      if (index % 2) {
        const { status, headers } = await client.ask(asked);
        if (status !== 400) expect(headers.get('x-credits-charged')).toBe(String(credits));
      } else {
        const { body } = await client.create({ payload: asked });
        if (body.taskId) expect((await client.over(body.taskId)).body.credits.creditsCharged).toBe(credits);
      }
    }),
  );
  watching.abort();
  await watch;
  const expected = mixed.reduce((sum, { credits, index }) => sum + (index % 12 === 11 ? 0 : credits), 0);
  expect(await settled(tenant.accountId)).toEqual({ granted: 10_000, balance: 10_000 - expected, reserved: 0, charged: expected });
  const log = await stack.requestLog(tenant.accountId);
  expect(log).toHaveLength(mixed.length);
  expect(log.reduce((sum, { creditsCharged }) => sum + (creditsCharged ?? 0), 0)).toBe(expected);
});

test('an account spends its last credit and not one more', async () => {
  const tenant = await stack.tenant({ credits: 52 });
  const statuses = await Promise.all(Array.from({ length: 25 }, async (_none, index) => (index % 2 ? await tenant.ask() : await tenant.create()).status));
  expect(statuses.filter((status) => status < 300)).toHaveLength(10);
  expect(statuses.filter((status) => status === 403)).toHaveLength(15);
  expect(await settled(tenant.accountId)).toEqual({ granted: 52, balance: 2, reserved: 0, charged: 50 });
});

test('a gateway that dies while it waits loses no credit: whatever was run is charged, once', async () => {
  const tenant = await stack.tenant({ credits: 1000 });
  const left = Array.from({ length: 12 }, (_none, index) => tenant.ask({ prompt: `Dying ${index}? #delay=1s #nonce=dying-${index}` }).catch(() => undefined));
  await until('all to be at work', async () =>
    (await Promise.all(left.map(async (_none, index) => (await stack.calls(`dying-${index}`)).length))).every((calls) => calls === 1),
  );
  await stack.kill('gateway');
  await Promise.all(left);
  await stack.restart('gateway');
  expect(await settled(tenant.accountId)).toEqual({ granted: 1000, balance: 940, reserved: 0, charged: 60 });
});
