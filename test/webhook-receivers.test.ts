import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createReceiver } from '../docs/webhooks/receivers/receiver.js';

interface Vector {
  name: string;
  valid: boolean;
  secret: string;
  now: number;
  body: string;
  headers: Record<string, string>;
}

const folder = join(import.meta.dirname, '../docs/webhooks');
const { vectors } = JSON.parse(readFileSync(join(folder, 'vectors.json'), 'utf8')) as { vectors: Vector[] };
const valid = vectors.find((vector) => vector.valid) as Vector;

describe('the receiver in TypeScript', () => {
  const handled: string[] = [];
  const server = createReceiver(valid.secret, ({ task }) => void handled.push(task.id));
  let url: string;
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => void server.close());
  afterEach(() => void jest.restoreAllMocks());

  const post = async ({ now, body, headers }: Vector): Promise<number> => {
    jest.spyOn(Date, 'now').mockReturnValue(now * 1000);
    return (await fetch(url, { method: 'POST', headers, body: Buffer.from(body, 'base64') })).status;
  };

  test.each(vectors.map((vector) => [vector.name, vector] as const))('answers as it should: %s', async (_name, vector) => {
    expect(await post(vector)).toBe(vector.valid ? 204 : 401);
  });

  test('acts once on a task that comes twice', async () => {
    expect([await post(valid), await post(valid), handled.length]).toEqual([204, 204, 1]);
  });
});

describe.each([
  ['Python', 'python3', ['--version'], ['-B', '-m', 'unittest', 'test_receiver.py']],
  ['Go', 'go', ['version'], ['test', 'receiver.go', 'receiver_test.go']],
])('the receiver in %s', (_language, program, version, words) => {
  const isHere = spawnSync(program, version).status === 0;
  (isHere ? test : test.skip)(`accepts and refuses the vectors${isHere ? '' : ` (skipped: ${program} is not on this machine)`}`, () => {
    const { status, stderr, stdout } = spawnSync(program, words, { cwd: join(folder, 'receivers'), encoding: 'utf8' });
    expect([status, status === 0 ? '' : `${stdout}${stderr}`]).toEqual([0, '']);
  });
});
