import { expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { flows, Load, statusesOf } from '../load.js';
import { nothingLost } from '../nothing-lost.js';
import { OwnServers } from '../own-servers.js';
import type { ProgramProcess } from '../program-process.js';
import { useStack } from '../stack.js';
import { figure, percentile, secondsSince } from './figures.js';

const TEST_MS = 300_000;

const servers = new OwnServers({ natsServers: 3 });
const stack = useStack({ servers, env: { NATS_REPLICAS: '3' }, services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'] });

test.each([0, 1])(
  'three NATS servers with three replicas, one of them killed under load (round %i): tasks are accepted throughout, nothing is lost, all flows within 15 s',
  async (round) => {
    const tenant = await stack.tenant({ rate: 10_000, concurrency: 200 });
    const { config } = await stack.bus.manager.streams.info(stack.bus.names.stream('WORK'));
    expect(config.num_replicas).toBe(3);
    const load = new Load(tenant, {
      name: `cluster-${round}`,
      perSecond: 20,
      syncEvery: 5,
      words: '#delay=200ms',
      webhook: (nonce) => `${stack.sandboxUrl}/_inbox/${nonce}`,
    });
    await until('some to be answered', () => load.calls.length > 60);
    const victim = servers.cluster[round] as ProgramProcess;
    await victim.kill();
    const killed = Date.now();
    try {
      figure('flows again after, s', await flows(tenant));
      await until('a while with two', () => secondsSince(killed) > 15);
    } finally {
      // A round that fails must not leave the next one without a majority.
      await servers.restart(victim);
    }
    await until('a while with three', () => secondsSince(killed) > 25);
    const calls = await load.end();
    const tasks = calls.filter(({ kind }) => kind === 'task');
    expect(statusesOf(tasks)).toEqual({ 202: tasks.length });
    await nothingLost(stack, 90_000);
    figure('all over after, s', secondsSince(killed));
    figure('answers', JSON.stringify(statusesOf(calls)));
    figure(
      'creation p99, ms',
      percentile(
        tasks.map(({ ms }) => ms),
        99,
      ),
    );
  },
  TEST_MS,
);
