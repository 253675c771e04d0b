import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { API_KEY_FORM, checkPassword, digestOf } from '@overheard/database';
import { createTestDatabase, type TestDatabase } from '@overheard/testing';
import { admin as runAdmin } from '../src/admin/admin.js';
import { type Ran, run } from './run.js';

// Each command is a process of its own.
const MANY_COMMANDS_MS = 120_000;

const id = randomUUID();

let tested: TestDatabase;
beforeAll(async () => void (tested = await createTestDatabase()));
afterAll(() => tested.drop());

const admin = (...words: string[]): Promise<Ran> => run(['admin', ...words], { env: { DATABASE_URL: tested.settings.DATABASE_URL } });

/** What a command that succeeds prints. */
async function printed(...words: string[]): Promise<any> {
  const { status, out, err } = await admin(...words);
  expect([words.join(' '), status, err]).toEqual([words.join(' '), 0, '']);
  return JSON.parse(out);
}

test(
  'an operator makes an account, grants it credits, makes keys, lists and revokes them',
  async () => {
    const account = await printed('account', 'create', '--name', 'Acme Ltd', '--credits', '10', '--concurrency', '3', '--rate', '7');
    const { accountId } = account;
    expect(account).toEqual({ accountId: expect.any(String), name: 'Acme Ltd', granted: 10, balance: 10, reserved: 0, charged: 0, concurrency: 3, rate: 7 });
    await printed('account', 'grant', '--account', accountId, '--credits', '5');
    expect(await printed('account', 'show', '--account', accountId)).toEqual({ ...account, granted: 15, balance: 15 });

    const plain = await printed('key', 'create', '--account', accountId);
    const fancy = await printed('key', 'create', '--account', accountId, '--name', 'ci', '--scopes', 'tasks:read,monitor:run', '--expires-in', '3s', '--test');
    expect([API_KEY_FORM.test(plain.key), plain.key.startsWith('sk_live_'), fancy.key.startsWith('sk_test_')]).toEqual([true, true, true]);
    const stored = await tested.database.selectFrom('api_keys').select('id').where('digest', '=', digestOf(fancy.key)).executeTakeFirst();
    expect(stored?.id).toBe(fancy.keyId);

    expect(await printed('key', 'revoke', '--key', plain.keyId)).toEqual({ keyId: plain.keyId, revoked: true });
    const listing = await admin('key', 'list', '--account', accountId);
    const [second, first] = JSON.parse(listing.out);
    expect(second).toMatchObject({
      keyId: fancy.keyId,
      name: 'ci',
      lastFour: fancy.key.slice(-4),
      test: true,
      scopes: ['tasks:read', 'monitor:run'],
      revokedAt: null,
    });
    expect(Date.parse(second.expiresAt) - Date.parse(second.createdAt)).toBe(3000);
    expect(first).toMatchObject({ keyId: plain.keyId, scopes: null, expiresAt: null, revokedAt: expect.any(String) });
    for (const { key } of [plain, fancy]) expect(listing.out).not.toContain(key.slice(8, -4));
    expect(await printed('requests', '--account', accountId)).toEqual([]);
  },
  MANY_COMMANDS_MS,
);

test(
  'an operator lets people in, and gives them a new password',
  async () => {
    const [one, two] = [await printed('account', 'create', '--name', 'One'), await printed('account', 'create', '--name', 'Two')];
    const made = await printed('person', 'create', '--account', one.accountId, '--email', 'Ada@example.com');
    expect(made).toEqual({ personId: expect.any(String), role: 'owner', password: expect.stringMatching(/^[\w-]{20}$/) });
    const again = await printed('person', 'create', '--account', two.accountId, '--email', 'ada@example.com', '--role', 'viewer');
    expect(again).toEqual({ personId: made.personId, role: 'viewer' });
    const { password } = await printed('person', 'password', '--email', 'ada@example.com');
    const passwords = await Promise.all([made.password, password].map((word) => checkPassword(tested.database, 'ada@example.com', word)));
    expect(passwords).toEqual([undefined, { personId: made.personId, email: 'ada@example.com' }]);
  },
  MANY_COMMANDS_MS,
);

describe('what could not be done is one line on standard error and exit status 1', () => {
  test.each([
    [['account', 'show', '--account', id], `there is no account ${id}\n`],
    [['key', 'create', '--account', id], `there is no account ${id}\n`],
    [['key', 'revoke', '--key', id], `there is no key ${id}\n`],
    [['requests', '--account', id], `there is no account ${id}\n`],
    [['person', 'create', '--account', id, '--email', 'a@b.example'], `there is no account ${id}\n`],
    [['person', 'password', '--email', 'a@b.example'], 'there is no person a@b.example\n'],
  ])('%j', async (words, line) => {
    expect(await admin(...words)).toEqual({ status: 1, out: '', err: line });
  });

  test('where the database does not answer', async () => {
    const { status, out, err } = await run(['admin', 'account', 'show', '--account', id], { env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' } });
    expect([status, out, err]).toEqual([1, '', expect.stringMatching(/^[^\n]*ECONNREFUSED[^\n]*\n$/)]);
  });
});

describe('wrong usage', () => {
  test.each([
    [[], 'there is no command'],
    [['account', 'show', '--account', 'me'], '--account: Expected an id'],
  ])('is exit status 2, and says what is wrong: %j', async (words, text) => {
    const { status, out, err } = await admin(...words);
    expect([status, out, err]).toEqual([2, '', expect.stringContaining(text)]);
  });

  test.each([
    [['account'], 'there is no command "account"'],
    [['account', 'drop', '--account', id], 'there is no command "account drop"'],
    [['account', 'create'], '--name'],
    [['account', 'create', '--name', 'x', '--credits', 'many'], '--credits'],
    [['account', 'create', '--name', 'x', '--credits', '-1'], '--credits'],
    [['account', 'create', '--name', 'x', '--rate', '1.5'], '--rate'],
    [['account', 'grant', '--account', id, '--credits', '0'], '--credits'],
    [['key', 'create', '--account', id, '--scopes', 'tasks:read,everything'], 'Expected scopes out of monitor:run'],
    [['key', 'create', '--account', id, '--expires-in', 'soon'], 'Expected a duration'],
    [['key', 'list', '--account', id, '--all'], '--all'],
    [['key', 'list', 'extra', '--account', id], 'extra'],
    [['requests', '--account', id, '--limit', '0'], '--limit'],
    [['deliveries', '--account', id, '--status', 'dead'], '--status: Expected pending, delivered or failed'],
    [['redeliver'], 'expected --delivery, or --account with --since'],
    [['redeliver', '--account', id], 'expected --delivery, or --account with --since'],
    [['redeliver', '--delivery', id, '--account', id], 'expected --delivery, or --account with --since'],
    [['webhook-test', '--account', id, '--url', 'ftp://example.com'], '--url: Expected an http or https URL'],
  ])('is any of these: %j', async (words, text) => {
    await expect(runAdmin(words)).rejects.toMatchObject({ name: 'UsageError', message: expect.stringContaining(text) });
  });
});

describe('without DATABASE_URL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cli-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('the running `npm start` is asked, or nothing runs', async () => {
    const show = () => run(['admin', 'account', 'create', '--name', 'x'], { env: { DATA_DIR: folder } });
    expect(await show()).toEqual({
      status: 1,
      out: '',
      err: `nothing runs here: there is no ${join(folder, 'run.json')}. Begin with npm start, or set DATABASE_URL\n`,
    });
    writeFileSync(join(folder, 'run.json'), JSON.stringify({ ready: true, databaseUrl: tested.settings.DATABASE_URL }));
    expect((await show()).status).toBe(0);
  });
});
