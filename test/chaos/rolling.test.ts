import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Load, statusesOf } from '../load.js';
import { nothingLost } from '../nothing-lost.js';
import { useStack } from '../stack.js';
import { figure, percentile } from './figures.js';

const PER_SECOND = 50;
const LASTS_MS = 60_000;
/** Between two restarts, so that the gateway is there for most of the time on a quick machine too. */
const SETTLES_MS = 1000;

const SERVICES = ['gateway', 'worker', 'task-store', 'webhook-dispatcher'] as const;
const stack = useStack({ services: [...SERVICES, 'sandbox'] });

test(
  'every service restarted one after the other, again and again for a minute at 50 requests a second: each ends with status 0, no answer is a 5xx, no connection breaks while the gateway is there, and whatever was accepted is done',
  async () => {
    const tenant = await stack.tenant({ rate: 10_000, concurrency: 500, credits: 1_000_000 });
    const load = new Load(tenant, {
      name: 'rolling',
      perSecond: PER_SECOND,
      syncEvery: 5,
      words: '#delay=300ms',
      webhook: (nonce) => `${stack.sandboxUrl}/_inbox/${nonce}`,
    });
    const began = Date.now();
    let restarts = 0;
    const away: { from: number; to: number }[] = [];
    while (Date.now() < began + LASTS_MS)
      for (const service of SERVICES) {
        const from = performance.now();
        expect([service, await stack.end(service)]).toEqual([service, 0]);
        await stack.restart(service);
        if (service === 'gateway') away.push({ from, to: performance.now() });
        restarts += 1;
        await sleep(SETTLES_MS);
      }
    const calls = await load.end();
    await nothingLost(stack, 90_000);
    const statuses = statusesOf(calls);
    figure('answers', JSON.stringify(statuses));
    figure('restarts', restarts);
    figure(
      'synchronous p99, ms',
      percentile(
        calls.filter(({ kind, reply }) => kind === 'sync' && reply?.status === 200).map(({ ms }) => ms),
        99,
      ),
    );
    // A gateway that is away refuses connections; nothing else is refused.
    expect(Object.keys(statuses).filter((status) => !['200', '202', 'broken'].includes(status))).toEqual([]);
    const whileThere = calls.filter(({ at, ms }) => !away.some(({ from, to }) => at < to && at + ms > from));
    expect(whileThere.filter(({ reply }) => !reply)).toEqual([]);
    const accepted = calls.filter(({ reply }) => reply?.status === 202);
    expect(Math.min(whileThere.length, accepted.length)).toBeGreaterThan(((LASTS_MS / 1000) * PER_SECOND) / 2);
    for (const { reply } of accepted) expect((await tenant.read(reply?.body.taskId)).body.task.status).toBe('COMPLETED');
  },
  LASTS_MS * 5,
);
