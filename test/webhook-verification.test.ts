import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { SignatureWrong, verifyWebhook } from '@overheard/client';
import { disableSigning, enableSigning, rotateSigning } from '@overheard/database';
import { until } from '@overheard/testing';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { type Tenant, useStack } from './stack.js';

/** A delivery as the sandbox's inbox keeps it. */
interface Delivery {
  headers: Record<string, string>;
  body: string;
}

const encryptionKey = randomBytes(32);
const stack = useStack({
  services: ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'],
  env: { ENCRYPTION_KEY: encryptionKey.toString('base64'), WEBHOOK_RETRY_DELAYS: '50ms,50ms,50ms,50ms' },
});

let tenant: Tenant;
let secret: string;
/** A completed task and a failed one; the receiver refuses the first attempt of each. */
let deliveries: Delivery[];

/** Creates a task whose webhook is an inbox, and gives what has come there. */
async function delivered(name: string, count: number, prompt: string, query = ''): Promise<Delivery[]> {
  const inbox = `${stack.sandboxUrl}/_inbox/${name}`;
  const { status } = await tenant.create({ payload: { prompt }, idempotencyKey: `${name} Größe 漢字 🚲`, webhook: { url: `${inbox}${query}` } });
  expect(status).toBe(202);
  return until(
    `${count} deliveries to ${name}`,
    async () => {
      const found = (await (await fetch(inbox)).json()) as Delivery[];
      return found.length === count && found;
    },
    30_000,
  );
}

beforeAll(async () => {
  tenant = await stack.tenant();
  ({ secret = '' } = await enableSigning(stack.database, encryptionKey, tenant.accountId));
  const pairs = [
    await delivered('completed', 2, 'Größe 漢字 🚲 "quoted" \\', '?status=500&times=1'),
    await delivered('failed', 2, '#badkey', '?status=500&times=1'),
  ];
  deliveries = pairs.flat();
}, 120_000);

describe('deliveries as they come, first attempts and retries, of completed and failed tasks', () => {
  const spoilt = ({ body }: Delivery): string => body.replace('"task"', '"tesk"');
  const other = `whsec_${randomBytes(32).toString('base64')}`;

  test('are what they are taken for', () => {
    expect(deliveries.map(({ body }) => JSON.parse(body).task.status)).toEqual(['COMPLETED', 'COMPLETED', 'FAILED', 'FAILED']);
    expect(deliveries.map(({ headers }) => headers['x-service-webhook-id']?.split('-').at(-1))).toEqual(['1', '2', '1', '2']);
    expect(deliveries.every(({ body }) => body.includes('Größe 漢字 🚲'))).toBe(true);
  });

  test.each([
    ['standardwebhooks', (key: string) => new StandardWebhook(key)],
    ['svix', (key: string) => new SvixWebhook(key)],
  ])('are verified by the package %s, and refused by it with a byte changed or under another secret', (_name, open) => {
    for (const delivery of deliveries) {
      const { body, headers } = delivery;
      expect(open(secret).verify(body, headers)).toEqual(JSON.parse(body));
      expect(() => open(secret).verify(spoilt(delivery), headers)).toThrow('No matching signature');
      expect(() => open(other).verify(body, headers)).toThrow('No matching signature');
    }
  });

  test('are verified by our own package by either family of headers', () => {
    for (const delivery of deliveries) {
      const { body, headers } = delivery;
      const only = (prefix: string) => Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix)));
      for (const some of [headers, only('x-service-'), only('webhook-')]) {
        expect(verifyWebhook(body, some, secret)).toEqual(JSON.parse(body));
        expect(() => verifyWebhook(spoilt(delivery), some, secret)).toThrow(SignatureWrong);
        expect(() => verifyWebhook(body, some, other)).toThrow(SignatureWrong);
      }
    }
  });

  const hasPython = spawnSync('python3', ['--version']).status === 0;
  (hasPython ? test : test.skip)(`are verified by the receiver in Python${hasPython ? '' : ' (skipped: python3 is not on this machine)'}`, () => {
    const script =
      'import json, sys, receiver\nfor d in json.load(sys.stdin): print(receiver.verify(d["body"].encode(), d["headers"], sys.argv[1])["task"]["id"])';
    // A dictionary does not ignore case.
    const titled = deliveries.map(({ body, headers }) => ({
      body,
      headers: { 'X-Service-Timestamp': headers['x-service-timestamp'], 'X-Service-Signature': headers['x-service-signature'] },
    }));
    const cwd = join(import.meta.dirname, '../docs/webhooks/receivers');
    const { stdout, stderr } = spawnSync('python3', ['-B', '-c', script, secret], { cwd, input: JSON.stringify(titled), encoding: 'utf8' });
    expect([stderr, stdout.trim().split('\n')]).toEqual(['', deliveries.map(({ body }) => JSON.parse(body).task.id)]);
  });
});

test('after a rotation the new secret verifies and the old one does not; disabled, there is no signature', async () => {
  const { secret: fresh = '' } = await rotateSigning(stack.database, encryptionKey, tenant.accountId);
  const [rotated] = (await delivered('rotated', 1, 'mugs')) as [Delivery];
  expect(new StandardWebhook(fresh).verify(rotated.body, rotated.headers)).toEqual(verifyWebhook(rotated.body, rotated.headers, fresh));
  expect(() => verifyWebhook(rotated.body, rotated.headers, secret)).toThrow(SignatureWrong);
  await disableSigning(stack.database, tenant.accountId);
  const [unsigned] = (await delivered('unsigned', 1, 'mugs')) as [Delivery];
  expect(() => verifyWebhook(unsigned.body, unsigned.headers, fresh)).toThrow('is signing enabled?');
});
