import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { choosePorts } from '../scripts/lib/ports.mjs';
import { programPath } from '../scripts/lib/programs.mjs';

/** The simplest service does: the log is the same in all of them. */
const sandbox = (env: NodeJS.ProcessEnv) =>
  spawn(process.execPath, [programPath(process.cwd(), 'sandbox')], { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });

let ports: { PORT: string; HEALTH_PORT: string };
beforeAll(async () => {
  const chosen = await choosePorts(['PORT', 'HEALTH_PORT'], {});
  ports = { PORT: String(chosen.PORT), HEALTH_PORT: String(chosen.HEALTH_PORT) };
});

const taken = createServer();
afterAll(() => void taken.close());

test('the last words of a process that can not start are in its log', async () => {
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const { port } = taken.address() as { port: number };
  const child = sandbox({ ...ports, HOST: '127.0.0.1', PORT: String(port) });
  const [log] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.at(-1)).toMatchObject({ level: 'fatal', msg: 'could not start', err: { code: 'EADDRINUSE' } });
  expect(child.exitCode).toBe(1);
});

test('a service whose log nobody reads any more does its work, and ends when it is told to', async () => {
  const child = sandbox({ ...ports, HOST: '127.0.0.1' });
  child.stdout.destroy();
  const isReady = () =>
    fetch(`http://127.0.0.1:${ports.HEALTH_PORT}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    await until('the sandbox to be ready', isReady);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
    expect(child.exitCode).toBe(0);
  } finally {
    child.kill('SIGKILL');
  }
});
