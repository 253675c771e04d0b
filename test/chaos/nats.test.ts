import { expect, test } from '@jest/globals';
import { laneOf, SUBJECTS } from '@overheard/bus';
import { workMessage } from '@overheard/contracts';
import { until } from '@overheard/testing';
import { nothingLost } from '../nothing-lost.js';
import { OwnServers } from '../own-servers.js';
import { useStack } from '../stack.js';

const servers = new OwnServers();
const stack = useStack({ servers });

test('a task that is over and comes again after a restart of NATS, under the same message id, is neither asked nor charged again', async () => {
  const tenant = await stack.tenant();
  const prompt = 'Once? #nonce=once';
  const { taskId } = (await tenant.create({ payload: { prompt } })).body;
  const { text } = await tenant.over(taskId);
  await nothingLost(stack);
  await servers.nats.kill();
  await servers.restart(servers.nats);
  const work = {
    id: taskId,
    accountId: tenant.accountId,
    provider: 'CHATGPT',
    route: 'live' as const,
    payload: { prompt, country: 'US' },
    admittedAt: Date.now(),
    deadlineMs: 600_000,
  };
  // NATS has forgotten the ids of what was acknowledged.
  await until('it to be published', () => stack.bus.publish(SUBJECTS.work('CHATGPT', laneOf(1)), workMessage, work, `${taskId}:1`).catch(() => false));
  await until('it to be taken', async () => (await stack.bus.manager.streams.info(stack.bus.names.stream('WORK'))).state.messages === 0);
  expect((await stack.calls('once')).length).toBe(1);
  expect([(await tenant.read(taskId)).text, (await stack.credits(tenant.accountId)).charged]).toEqual([text, 5]);
  await nothingLost(stack);
});
