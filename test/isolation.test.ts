import { expect, test } from '@jest/globals';
import { useStack } from './stack.js';

const stack = useStack();

test('a hundred parallel prompts of several accounts each get their own answer, and nobody reads another', async () => {
  const tenants = await Promise.all(Array.from({ length: 4 }, () => stack.tenant({ concurrency: 100 })));
  const countries = ['US', 'DE', 'FR', 'JP', 'BR'];
  const nonces = Array.from({ length: 100 }, (_none, index) => `iso${index}x`);
  const strangers = new RegExp(nonces.map((nonce) => `\\b${nonce}\\b`).join('|'), 'g');
  const payloadOf = (nonce: string, index: number) => ({
    prompt: `Which bag is best? #nonce=${nonce} #delay=${(index * 13) % 200}ms`,
    country: countries[index % countries.length],
    include: { rawResponse: true, markdown: true, searchQueries: true },
  });

  const answers = await Promise.all(
    nonces.map(async (nonce, index) => {
      const tenant = tenants[index % tenants.length] as (typeof tenants)[number];
      const payload = payloadOf(nonce, index);
      if (index % 2) {
        const { status, text, headers } = await tenant.ask(payload);
        return { nonce, index, ok: status === 200, text, id: headers.get('x-request-id') ?? '' };
      }
      const { taskId } = (await tenant.create({ payload })).body;
      const { text, body } = await tenant.over(taskId, 50_000);
      return { nonce, index, ok: body.task.status === 'COMPLETED', text, id: taskId as string };
    }),
  );

  for (const { nonce, ok, text } of answers) expect([ok, [...new Set(text.match(strangers))]]).toEqual([true, [nonce]]);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(100);
  for (const { nonce, index } of answers) expect(await stack.calls(nonce)).toMatchObject([{ country: countries[index % countries.length], attempt: 1 }]);
  const reads = await Promise.all(answers.map(({ id, index }) => (tenants[(index + 1) % tenants.length] as (typeof tenants)[number]).read(id)));
  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([404]));
  for (const { accountId } of tenants) expect(await stack.credits(accountId)).toMatchObject({ reserved: 0, charged: 25 * 7 });
});
