import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endLeftovers } from '../scripts/lib/leftovers.mjs';
import { takeLock } from '../scripts/lib/lock.mjs';
import { readable } from '../scripts/lib/log-lines.mjs';
import { choosePorts } from '../scripts/lib/ports.mjs';
import { identify, isAlive } from '../scripts/lib/process-identity.mjs';
import { silently } from '../scripts/lib/progress.mjs';
import { seedOf } from '../scripts/lib/seed.mjs';
import { Supervised } from '../scripts/lib/supervisor.mjs';

const folder = mkdtempSync(join(tmpdir(), 'scripts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const idle = (name: string) => ({
  name,
  command: process.execPath,
  args: ['-e', 'setInterval(() => {}, 1000)'],
  env: process.env,
  stopSignal: 'SIGTERM' as const,
  readsParent: true,
  isReady: () => Promise.resolve(true),
});

test('a program that is killed is back within two seconds, and stays away once it was stopped', async () => {
  const events: string[] = [];
  const kept = new Supervised(idle('kept'), { onLine: () => {}, onEvent: (_program, text) => events.push(text), onPids: () => {} });
  kept.start();
  await kept.untilReady(5000);
  const first = kept.pid;
  process.kill(Number(first), 'SIGKILL');
  for (const end = Date.now() + 2000; kept.pid === first && Date.now() < end;) await sleep(20);
  expect(kept.pid).not.toBe(first);
  expect(events[0]).toMatch(/SIGKILL/);
  await kept.stop(5000);
  await sleep(300);
  expect(identify(Number(kept.pid))).toBeUndefined();
});

test('a program that never starts is given up with its reason', async () => {
  const broken = new Supervised(
    { ...idle('broken'), args: ['-e', 'process.exit(3)'], isReady: () => Promise.resolve(false) },
    { onLine: () => {}, onEvent: () => {}, onPids: () => {} },
  );
  broken.start();
  await expect(broken.untilReady(20_000)).rejects.toThrow('broken does not start: exit status 3');
  await broken.stop(1000);
});

test('a lock is held by the living and worth nothing once its holder is gone', () => {
  const path = join(folder, 'lock');
  const release = takeLock(path);
  expect(release).toBeDefined();
  expect(takeLock(path)).toBeUndefined();
  release?.();
  writeFileSync(path, JSON.stringify({ pid: process.pid, born: 'another process that had this pid' }));
  takeLock(path)?.();
  expect(existsSync(path)).toBe(false);
});

test('ports are kept from start to start, unless somebody else has taken one', async () => {
  const before = await choosePorts(['a', 'b'], {});
  expect(await choosePorts(['a', 'b'], before)).toEqual(before);
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(before.a, '127.0.0.1', resolve));
  const after = await choosePorts(['a', 'b'], before);
  squatter.close();
  expect(after.a).not.toBe(before.a);
  expect(after.b).toBe(before.b);
});

test('what an earlier run left behind is ended; a stranger that got its pid is not', async () => {
  const children = [0, 1].map(() => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }));
  const [left, stranger] = children.map(({ pid }) => identify(Number(pid)));
  const entries = [
    { name: 'left', stopSignal: 'SIGTERM', ...left },
    { name: 'stranger', stopSignal: 'SIGTERM', ...stranger, born: '1' },
  ];
  writeFileSync(join(folder, 'processes.json'), JSON.stringify(entries));
  await endLeftovers(folder, silently);
  expect([isAlive(left), isAlive(stranger)]).toEqual([false, true]);
  for (const child of children) child.kill('SIGKILL');
});

test('the seed of a data folder is made once', () => {
  const seed = seedOf(folder);
  expect(seed.apiKey).toMatch(/^sk_live_[\w-]{43}$/);
  expect(seedOf(folder)).toEqual(seed);
});

test('a log event becomes one readable line', () => {
  const line = readable(
    'gateway',
    JSON.stringify({ level: 30, time: 0, pid: 1, hostname: 'h', service: 'gateway', msg: 'request', statusCode: 200, prompt: 'two words' }),
  );
  expect(line).toBe('00:00:00.000 info  gateway            request  statusCode=200  prompt="two words"');
  expect(readable('gateway', 'not JSON')).toMatch(/gateway +not JSON$/);
});
