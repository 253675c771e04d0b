import { beforeAll, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { completed } from '../../../../test/stand-in-worker.js';
import { type Tenant, useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway', 'task-store'] });
const letGo = new Map<string, () => void>();

let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant({ credits: 100 })));

/** A request that its client leaves. */
function begin(prompt: string): { leave: () => void; id: Promise<string> } {
  const controller = new AbortController();
  void tenant.send('POST', '/v1/monitor/chatgpt', { body: { prompt, country: 'US' }, signal: controller.signal }).catch(() => undefined);
  const id = until(
    `the request "${prompt}"`,
    async () =>
      (await stack.database.selectFrom('requests').select('id').where('prompt', '=', prompt).where('published_at', 'is not', null).executeTakeFirst())?.id,
  );
  return { leave: () => controller.abort(), id };
}
const logged = async (id: string) => (await stack.requestLog(tenant.accountId)).find(({ requestId }) => requestId === id);

test('a client that leaves before any worker took its request pays nothing: it is never run', async () => {
  const { leave, id } = begin('Left early');
  const requestId = await id;
  leave();
  const { body } = await tenant.over(requestId);
  expect(body).toMatchObject({
    task: { status: 'FAILED' },
    credits: { creditsToCharge: 5, creditsCharged: 0 },
    response: { error: { code: 'REQUEST_CANCELED', message: 'Request was canceled by client' } },
  });
  expect(await stack.credits(tenant.accountId)).toEqual({ granted: 100, balance: 100, reserved: 0, charged: 0 });
  expect(await logged(requestId)).toMatchObject({ statusCode: 499, creditsCharged: 0 });
});

test('a client that leaves later pays: the run goes on and stays readable, and the log says 499 for ever', async () => {
  const began: string[] = [];
  await stack.work(async ({ payload, id }) => {
    began.push(String(payload['prompt']));
    await new Promise<void>((resolve) => letGo.set(id, resolve));
    return { outcome: completed({ text: 'done all the same' }) };
  });
  const { leave, id } = begin('Left late');
  const requestId = await id;
  await until('the run to begin', () => letGo.has(requestId));
  // The request that was left before it was claimed is over: no worker was given it.
  expect(began).toEqual(['Left late']);
  leave();
  const entry = await until('the log to say so', () => logged(requestId));
  expect(entry).toMatchObject({ statusCode: 499, creditsCharged: null });
  expect((await tenant.read(requestId)).body.task.status).toBe('PROCESSING');
  letGo.get(requestId)?.();
  expect((await tenant.over(requestId)).body).toMatchObject({
    task: { status: 'COMPLETED' },
    credits: { creditsCharged: 5 },
    response: { text: 'done all the same' },
  });
  expect(await logged(requestId)).toMatchObject({ statusCode: 499, creditsCharged: 5, latencyMs: entry.latencyMs });
  expect(await stack.credits(tenant.accountId)).toEqual({ granted: 100, balance: 95, reserved: 0, charged: 5 });
});
