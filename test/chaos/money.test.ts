import { beforeAll, expect, test } from '@jest/globals';
import { SUBJECTS } from '@overheard/bus';
import { finishedEvent } from '@overheard/contracts';
import { grantCredits } from '@overheard/database';
import { until } from '@overheard/testing';
import { brokenRules, nothingLost } from '../nothing-lost.js';
import { completed } from '../stand-in-worker.js';
import { randomFrom } from '../random.js';
import { type ServiceName, type Tenant, useStack } from '../stack.js';
import { figure, SEED } from './figures.js';

const TEST_MS = 300_000;
const STEPS = 150;

const stack = useStack({ services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'] });
let bystander: Tenant;
beforeAll(async () => void (bystander = await stack.tenant()));

test('400 creations of 5 credits at once on 1,000: 200 are accepted and 200 refused, and at no moment is more reserved than there is', async () => {
  const tenant = await stack.tenant({ credits: 1000, rate: 10_000 });
  const watching = new AbortController();
  const watch = (async () => {
    for (let looks = 0; ; looks += 1) {
      const { balance, reserved, charged } = await stack.credits(tenant.accountId);
      expect([balance + reserved + charged, balance >= 0]).toEqual([1000, true]);
      if (watching.signal.aborted) return looks;
    }
  })();
  const statuses = (await Promise.all(Array.from({ length: 400 }, () => tenant.create()))).map(({ status }) => status);
  await nothingLost(stack);
  watching.abort();
  figure('looks meanwhile', await watch);
  // A busy machine may answer some of the accepted too late, by a 500; nobody is refused for it who can pay.
  expect([403, 202, 500].map((status) => statuses.filter((one) => one === status).length)).toEqual([200, 200 - late(statuses), late(statuses)]);
  expect(await stack.credits(tenant.accountId)).toEqual({ granted: 1000, balance: 0, reserved: 0, charged: 1000 });
});

const late = (statuses: number[]): number => statuses.filter((status) => status === 500).length;

test('an outcome that is published five times at once, and again after it is settled, is charged and delivered once', async () => {
  const tenant = await stack.tenant({ credits: 1000 });
  await stack.end('worker');
  const { taskId } = (await tenant.create({ webhook: { url: `${stack.sandboxUrl}/_inbox/five` } })).body;
  const publish = (time: number) =>
    stack.bus.publish(
      SUBJECTS.finished,
      finishedEvent,
      {
        id: taskId,
        accountId: tenant.accountId,
        provider: 'CHATGPT',
        outcome: completed({ text: `answer ${time}` }),
        charge: true,
        attempts: 1,
        route: 'sandbox',
        timings: { queueMs: 1, upstreamMs: 2, parseMs: 3 },
      },
      `finished:${taskId}:copy-${time}`,
    );
  await Promise.all([1, 2, 3, 4, 5].map(publish));
  await tenant.over(taskId);
  const { text } = await tenant.read(taskId);
  await Promise.all([6, 7].map(publish));
  await stack.restart('worker');
  await nothingLost(stack);
  await until('the copies to be taken', async () => (await stack.bus.manager.streams.info(stack.bus.names.stream('OUTCOME'))).state.messages === 0);
  await nothingLost(stack);
  const body = (json: string) => json.replace(/,"webhook":\{[^}]*\}/, '');
  expect(body((await tenant.read(taskId)).text)).toBe(body(text));
  expect([(await stack.credits(tenant.accountId)).charged, ((await (await fetch(`${stack.sandboxUrl}/_inbox/five`)).json()) as unknown[]).length]).toEqual([
    5, 1,
  ]);
});

test(
  'whatever is created, asked, canceled, left, granted and killed in whatever order: no credit is ever wrong, and everything ends',
  async () => {
    const random = randomFrom(SEED);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const tenant = await stack.tenant({ credits: 300, rate: 10_000 });
    const ids: string[] = [];
    const running: Promise<unknown>[] = [];
    const counts: Record<string, number> = {};
    const killed = (service: ServiceName) => async () => {
      await stack.kill(service);
      await stack.restart(service);
    };
    // A gateway that is killed breaks connections: what was sent over them is found in the log, or never was.
    const steps: Record<string, () => unknown> = {
      create: () =>
        tenant.create({ payload: { prompt: `Any? #delay=${Math.floor(random() * 800)}ms` } }).then(({ body }) => body.taskId && ids.push(body.taskId)),
      fail: () =>
        tenant.create({ payload: { prompt: pick(['No key? #badkey', 'No quota? #quota']) } }).then(({ body }) => body.taskId && ids.push(body.taskId)),
      ask: () => tenant.ask({ prompt: `Any? #delay=${Math.floor(random() * 800)}ms` }),
      leave: () =>
        tenant.send('POST', '/v1/monitor/chatgpt', {
          body: { prompt: 'Left? #delay=1s', country: 'US' },
          signal: AbortSignal.timeout(Math.floor(random() * 600)),
        }),
      cancel: () => (ids.length > 0 ? tenant.send('DELETE', `/v1/async/task/${pick(ids)}`) : undefined),
      grant: () => grantCredits(stack.database, tenant.accountId, Math.ceil(random() * 50)),
    };
    const kills = (['gateway', 'worker', 'task-store', 'webhook-dispatcher'] as const).map(killed);
    for (let step = 0; step < STEPS; step += 1) {
      const name = pick(['create', 'create', 'create', 'fail', 'ask', 'ask', 'leave', 'cancel', 'grant']);
      counts[name] = (counts[name] ?? 0) + 1;
      running.push(Promise.resolve(steps[name]?.()).catch(() => undefined));
      if (step % 15 === 14) await pick(kills)();
      else await new Promise((resolve) => setTimeout(resolve, random() * 60));
      // Sums hold at every moment; what only holds at rest is looked at in the end.
      const broken = await brokenRules(stack.database);
      expect([step, Object.keys(broken).filter((rule) => ATALLTIMES.test(rule))]).toEqual([step, []]);
    }
    await Promise.all(running);
    await nothingLost(stack, 120_000);
    figure('steps', JSON.stringify(counts));
    expect((await stack.credits(bystander.accountId)).charged).toBe(0);
  },
  TEST_MS,
);

const ATALLTIMES = /^(balance|granted|reserved|charged|the usage|the queue cap|each request|an idempotency)/;
