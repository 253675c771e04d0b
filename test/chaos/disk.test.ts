import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { writeWhole } from '../../scripts/lib/write-whole.mjs';
import { flows, Load, statusesOf } from '../load.js';
import { nothingLost } from '../nothing-lost.js';
import { OwnServers } from '../own-servers.js';
import { Stack } from '../stack.js';
import { figure, secondsSince } from './figures.js';
import { IS_ROOT, Tmpfs } from './tmpfs.js';

const ANSWER_WITHIN_MS = 5500;
const TEST_MS = 240_000;

const asRoot = IS_ROOT ? describe : describe.skip;

/** A stack whose servers keep one of their folders on a small disk. */
function onSmallDisk(prepare: (dataDir: string) => Tmpfs) {
  const small: { disk?: Tmpfs } = {};
  const servers = new OwnServers({ prepare: (dataDir) => void (small.disk = prepare(dataDir)), cleanUp: () => small.disk?.unmount() });
  const stack = new Stack({
    servers,
    services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'],
    env: { NATS_STREAM_MAX_BYTES: '16000000' },
  });
  beforeAll(async () => void (await stack.start()), TEST_MS);
  afterAll(() => stack.stop(), TEST_MS);
  return { stack, servers, disk: () => small.disk as Tmpfs };
}

asRoot('JetStream’s disk, when it is full (needs root, for a small tmpfs)', () => {
  const { stack, disk, servers } = onSmallDisk((dataDir) => {
    const tmpfs = new Tmpfs(join(dataDir, 'nats'));
    tmpfs.mount('100m');
    return tmpfs;
  });

  test(
    'keeps nothing from being accepted, and nothing accepted from being done once there is room and NATS was started again',
    async () => {
      const tenant = await stack.tenant({ rate: 10_000, concurrency: 200 });
      // It would repair the streams itself.
      await stack.bus.close();
      const load = new Load(tenant, { name: 'full', perSecond: 20, words: '#delay=200ms' });
      await until('some to be answered', () => load.calls.length > 40);
      disk().fill();
      const before = load.calls.length;
      await until('a while without room', () => load.calls.length > before + 200);
      const began = performance.now();
      const { status } = await tenant.ask({ prompt: 'Room?' });
      expect(performance.now() - began).toBeLessThan(status === 200 ? 30_000 : ANSWER_WITHIN_MS);
      disk().free();
      // Older servers hang, newer ones freeze the stream: an operator starts them again.
      await servers.nats.kill();
      await servers.restart(servers.nats);
      const back = Date.now();
      figure('flows again after, s', await flows(tenant));
      const calls = await load.end();
      expect(statusesOf(calls)).toEqual({ 202: calls.length });
      expect(Math.max(...calls.map(({ ms }) => ms))).toBeLessThan(ANSWER_WITHIN_MS);
      await nothingLost(stack, 120_000);
      figure('all over after, s', secondsSince(back));
      figure('tasks accepted', calls.length);
    },
    TEST_MS,
  );
});

asRoot('PostgreSQL’s disk, when it is full (needs root, for a small tmpfs)', () => {
  const { stack, disk, servers } = onSmallDisk((dataDir) => {
    const folder = mkdtempSync('/var/tmp/overheard-chaos-');
    // As scripts/lib/postgres.mjs has it: PostgreSQL does not run as root.
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })));
    chownSync(folder, Number(uid), Number(gid));
    const tmpfs = new Tmpfs(folder);
    tmpfs.mount('300m');
    writeWhole(join(dataDir, 'postgres.json'), { folder });
    return tmpfs;
  });

  test(
    'makes creations a 500 that charges nothing, and all flows again once there is room',
    async () => {
      const tenant = await stack.tenant({ rate: 10_000, concurrency: 200 });
      const load = new Load(tenant, { name: 'full', perSecond: 20, syncEvery: 5 });
      await until('some to be answered', () => load.calls.length > 40);
      disk().fill();
      await until('some to be refused', () => load.calls.filter(({ reply }) => reply?.status === 500).length > 50, 90_000);
      disk().free();
      // A server that can't write its log ends itself; whoever supervises it starts it again.
      if (servers.postgres.pid === undefined) await servers.restart(servers.postgres);
      const back = Date.now();
      figure('flows again after, s', await flows(tenant));
      const calls = await load.end();
      expect(Object.keys(statusesOf(calls)).filter((status) => !['200', '202', '500'].includes(status))).toEqual([]);
      await nothingLost(stack, 90_000);
      figure('all over after, s', secondsSince(back));
      figure('answers', JSON.stringify(statusesOf(calls)));
      for (const { reply } of calls) if (reply?.status === 202) expect((await tenant.read(reply.body.taskId)).body.task.status).toBe('COMPLETED');
    },
    TEST_MS,
  );
});
