import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { enableSigning, rotateSigning } from '@overheard/database';
import { nothingLost } from '../nothing-lost.js';
import { type ServiceName, type Tenant, useStack } from '../stack.js';
import { OwnServers } from '../own-servers.js';
import { dumpOf, formsOf, messagesOf, PG_DUMP } from './dump.js';

const SERVICES: readonly ServiceName[] = ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'sandbox'];
const TEST_MS = 120_000;

const servers = new OwnServers();
const stack = useStack({
  servers,
  services: SERVICES,
  env: { LOG_LEVEL: 'debug', OPENAI_API_KEY: 'sk-operators-own-key-0123456789', WEBHOOK_RETRY_DELAYS: '100ms' },
});
const secrets: Record<string, string> = {};
beforeAll(async () => {
  const tenants: Tenant[] = [await stack.tenant(), await stack.tenant()];
  const encryptionKey = String(stack.service('gateway').program.env['ENCRYPTION_KEY']);
  const key = Buffer.from(encryptionKey, 'base64');
  const [tenant] = tenants as [Tenant];
  const tester = await stack.anotherKey(tenant.accountId, { test: true });
  const first = await enableSigning(stack.database, key, tenant.accountId);
  const webhook = { url: `${stack.sandboxUrl}/_inbox/secrets?status=500&times=1` };
  for (const one of [...tenants, tester]) {
    secrets[`key ${one.keyId}`] = one.key;
    const payload = { prompt: `My key is none of your business #nonce=n${one.keyId.slice(0, 8)}` };
    await tester.ask(payload);
    await one.create({ payload, webhook });
    await one.send('POST', '/v1/async/task', { body: '{"broken' });
    await one.get('/v1/nothing');
  }
  // A key in the wrong place, as users put it there.
  await fetch(`${stack.baseUrl}/v1/countries?key=${tenant.key}`, { headers: { 'x-api-key': tenant.key, cookie: `key=${tenant.key}` } });
  await fetch(`${stack.baseUrl}/v1/countries`, { headers: { authorization: `Basic ${tenant.key}` } });
  await nothingLost(stack);
  const second = await rotateSigning(stack.database, key, tenant.accountId);
  await tenant.create({ payload: { prompt: 'Signed anew' }, webhook });
  await nothingLost(stack);
  Object.assign(secrets, {
    'first signing secret': first.secret,
    'second signing secret': second.secret,
    'encryption key': encryptionKey,
    'upstream key': 'sk-operators-own-key-0123456789',
  });
  secrets['password of the servers'] = new URL(servers.addresses.DATABASE_URL).password;
}, TEST_MS);

/** Names of the secrets that stand in a text, in whatever form. */
const standIn = (text: string): string[] =>
  Object.entries(secrets).flatMap(([name, secret]) => {
    const bare = secret.replace(/^(whsec_|sk_live_|sk_test_)/, '');
    return [...formsOf(secret), ...formsOf(bare), Buffer.from(bare, 'base64').toString('hex')].some((form) => text.includes(form)) ? [name] : [];
  });

(PG_DUMP ? test : test.skip)(
  'pg_dump holds no key and no secret in any form (needs pg_dump)',
  async () => {
    const dump = await dumpOf(stack);
    // It is the dump that it should be: keys' last four characters are in it.
    expect(dump).toContain(Object.values(secrets)[0]?.slice(-4));
    expect(standIn(dump)).toEqual([]);
  },
  TEST_MS,
);

test('no log of any service, at its most talkative, nor of any server holds a key or a secret', () => {
  for (const service of SERVICES) {
    const lines = stack.service(service).lines.join('\n');
    expect([service, lines.length > 0, standIn(lines)]).toEqual([service, true, []]);
  }
  for (const { program } of [servers.postgres, servers.nats, servers.redis]) {
    expect([program.name, standIn(readFileSync(String(program.logFile), 'latin1'))]).toEqual([program.name, []]);
  }
});

test('no message on the bus holds a key or a secret', async () => {
  const messages = await messagesOf(stack.bus);
  expect(messages.length).toBeGreaterThan(0);
  expect(standIn(messages.join('\n'))).toEqual([]);
});
