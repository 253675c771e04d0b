import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAccount, createPerson } from '@overheard/database';
import { sql } from 'kysely';
import { useStack } from '../../../test/stack.js';
import { ROUTES } from '../src/api.js';
import { PASSWORD, personIn, Visitor } from './visitor.js';

const stack = useStack({ services: ['dashboard'], env: { TRUSTED_PROXIES: '127.0.0.1' } });
let accountId: string;
const newcomer = (email?: string) => new Visitor(stack.dashboardUrl, email);
const account = async (name: string) => (await createAccount(stack.database, { name })).accountId;

describe('the first run', () => {
  test('makes one account and its owner, however many try at once, and is over then', async () => {
    const visitors = Array.from({ length: 5 }, () => newcomer());
    expect((await newcomer().get(ROUTES.session)).body).toEqual({ state: 'setup' });
    const tried = await Promise.all(visitors.map((one) => one.post(ROUTES.setup, { accountName: 'First', email: one.email, password: PASSWORD })));
    expect(tried.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const first = visitors[tried.findIndex(({ status }) => status === 200)] as Visitor;
    const { body } = await first.get(ROUTES.session);
    accountId = body.account.id;
    expect(body).toEqual({
      state: 'in',
      person: { id: expect.any(String), email: first.email },
      account: { id: accountId, name: 'First', role: 'owner' },
      accounts: [{ id: accountId, name: 'First', role: 'owner' }],
      apiUrl: stack.baseUrl,
    });
    expect((await newcomer().get(ROUTES.session)).body).toEqual({ state: 'login' });
    expect((await first.get(ROUTES.audit)).body.entries).toMatchObject([{ person: first.email, action: 'account.created', subject: 'First' }]);
  });

  test('names each field that is wrong', async () => {
    const { status, body } = await newcomer().post(ROUTES.setup, { accountName: '', email: 'nobody', password: 'short' });
    expect([status, Object.keys(body.error.fields).sort(), typeof body.error.message]).toEqual([400, ['accountName', 'email', 'password'], 'string']);
  });
});

describe('a session', () => {
  test('is a cookie that no script can read and no other site can send; over https no plain connection either', async () => {
    const person = await personIn(stack, accountId, 'viewer');
    const cookieOf = async (headers: Record<string, string>) => (await person.login(PASSWORD, headers)).headers.get('set-cookie') ?? '';
    expect(await cookieOf({})).toMatch(/^overheard_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await cookieOf({ 'x-forwarded-proto': 'https' })).toMatch(/; Secure/);
  });

  test('is kept as a digest, from which the cookie can’t be made', async () => {
    const person = await personIn(stack, accountId, 'viewer');
    const token = person.cookie?.split('=')[1] ?? '';
    const { rows } = await sql<{ all: string }>`select string_agg(s::text, ' ') as all from sessions s`.execute(stack.database);
    expect([rows[0]?.all.includes(token), rows[0]?.all.includes(createHash('sha256').update(token).digest('hex'))]).toEqual([false, true]);
  });

  test('ends at logout, wherever its cookie is', async () => {
    const person = await personIn(stack, accountId, 'viewer');
    const stolen = Object.assign(newcomer(), { cookie: person.cookie });
    expect((await stolen.get(ROUTES.people)).status).toBe(200);
    expect((await person.post(ROUTES.logout)).body).toEqual({ state: 'login' });
    expect((await stolen.get(ROUTES.people)).status).toBe(401);
    expect((await person.get(ROUTES.session)).body).toEqual({ state: 'login' });
  });

  test('ends by itself', async () => {
    const person = await personIn(stack, accountId, 'viewer');
    await sql`update sessions set expires_at = now() where person_id = ${person.personId}`.execute(stack.database);
    expect((await person.get(ROUTES.people)).status).toBe(401);
  });

  test('ends when its person is taken out of the account', async () => {
    const owner = await personIn(stack, accountId, 'owner');
    const person = await personIn(stack, accountId, 'member');
    expect((await owner.post(ROUTES.removalOf(person.personId))).status).toBe(200);
    expect((await person.get(ROUTES.people)).status).toBe(401);
    expect((await person.login()).status).toBe(401);
  });

  test('shows any account of its person, and no other', async () => {
    const [mine, others] = await Promise.all([account('Another of mine'), account('Somebody else’s')]);
    const person = await personIn(stack, accountId, 'viewer');
    await createPerson(stack.database, { email: person.email, password: 'not used at all', accountId: mine, role: 'owner' });
    const { status, body } = await person.post(ROUTES.switchAccount, { accountId: mine });
    expect([status, body.account]).toEqual([200, { id: mine, name: 'Another of mine', role: 'owner' }]);
    expect(body.accounts.map(({ role }: { role: string }) => role)).toEqual(['owner', 'viewer']);
    expect((await person.get(ROUTES.session)).body.account.id).toBe(mine);
    expect((await person.post(ROUTES.switchAccount, { accountId: others })).status).toBe(404);
    expect((await person.login()).status).toBe(200);
  });
});

describe('a password', () => {
  test('that is changed ends all other sessions of its person, and only the new one is good', async () => {
    const person = await personIn(stack, accountId, 'viewer');
    const elsewhere = newcomer(person.email);
    await elsewhere.login();
    const { status, body } = await person.post(ROUTES.password, { current: PASSWORD, next: 'another long password' });
    expect([status, body.state]).toEqual([200, 'in']);
    expect([(await person.get(ROUTES.people)).status, (await elsewhere.get(ROUTES.people)).status]).toEqual([200, 401]);
    expect([(await elsewhere.login()).status, (await elsewhere.login('another long password')).status]).toEqual([401, 200]);
  });

  test('is changed only by whoever knows it', async () => {
    const person = await personIn(stack, accountId, 'owner');
    const { status, body } = await person.post(ROUTES.password, { current: 'a wrong password', next: 'another long password' });
    expect([status, Object.keys(body.error.fields)]).toEqual([400, ['current']]);
  });

  test('that is wrong is told in the same words as an address that nobody has', async () => {
    const person = await personIn(stack, accountId, 'viewer');
    const [wrong, nobody] = [await person.login('a wrong password'), await newcomer().login()];
    expect([wrong.status, wrong.text]).toEqual([401, nobody.text]);
  });

  test.each([{}, { email: 'a@b.example' }, { email: 7, password: 7 }, { email: 'a\u0000@b.example', password: 'x' }, []])(
    'login with %j is refused',
    async (given) => {
      expect((await newcomer().post(ROUTES.login, given)).status).toBe(400);
    },
  );
});

describe('guessing passwords', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });

  test('ends after ten tries for a person from an address, also with the right one; from elsewhere they still get in', async () => {
    const person = await personIn(stack, accountId, 'viewer');
    const tries = [];
    for (let count = 0; count < 10; count += 1) tries.push((await newcomer(person.email).login('a wrong guess', from('198.51.100.7'))).status);
    expect(new Set(tries)).toEqual(new Set([401]));
    const late = await newcomer(person.email).login(PASSWORD, from('198.51.100.7'));
    expect([late.status, Number(late.headers.get('retry-after')) > 0, Number(late.headers.get('retry-after')) <= 900]).toEqual([429, true, true]);
    expect((await newcomer(person.email).login(PASSWORD, from('198.51.100.8'))).status).toBe(200);
  });

  test('at the same time does not get further', async () => {
    const person = await personIn(stack, accountId, 'viewer');
    const tries = await Promise.all(Array.from({ length: 30 }, () => newcomer(person.email).login('a wrong guess', from('198.51.100.9'))));
    expect(tries.filter(({ status }) => status === 401)).toHaveLength(10);
  });

  test('of many people from one address ends as well', async () => {
    await newcomer().login('a wrong guess', from('198.51.100.10'));
    const counted = createHash('sha256').update('198.51.100.10').digest();
    await stack.database.updateTable('login_tries').set({ tries: 99 }).where('digest', '=', counted).execute();
    const statuses = [];
    for (let count = 0; count < 2; count += 1) statuses.push((await newcomer().login('a wrong guess', from('198.51.100.10'))).status);
    expect(statuses).toEqual([401, 429]);
  });

  test('locks nobody out for longer than the window, and trying on does not make it longer', async () => {
    const person = await personIn(stack, accountId, 'viewer');
    for (let count = 0; count < 12; count += 1) await newcomer(person.email).login('a wrong guess', from('198.51.100.11'));
    const { rows } = await sql<{ longest: number }>`select extract(epoch from max(ends_at) - now()) as longest from login_tries`.execute(stack.database);
    expect(rows[0]?.longest).toBeLessThanOrEqual(900);
    await sql`update login_tries set ends_at = now() - interval '1 second'`.execute(stack.database);
    expect((await newcomer(person.email).login(PASSWORD, from('198.51.100.11'))).status).toBe(200);
  });

  test('those who succeed are not counted', async () => {
    const person = await personIn(stack, accountId, 'viewer');
    for (let count = 0; count < 15; count += 1) expect((await person.login(PASSWORD, from('198.51.100.12'))).status).toBe(200);
  });
});

describe('a change is refused', () => {
  let person: Visitor;
  beforeAll(async () => void (person = await personIn(stack, accountId, 'owner')));
  const key = JSON.stringify({ name: 'x' });
  const cases: [why: string, headers: Record<string, string>, status: number][] = [
    ['from another site', { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' }, 403],
    ['from another origin of this site', { 'content-type': 'application/json', 'sec-fetch-site': 'same-site' }, 403],
    ['from another origin, as old browsers tell', { 'content-type': 'application/json', origin: 'https://elsewhere.example' }, 403],
    ['from a sandboxed frame', { 'content-type': 'application/json', origin: 'null' }, 403],
    ['as a form sends it', { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }, 415],
    ['as plain text', { 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin' }, 415],
  ];
  test.each(cases)('%s', async (_why, headers, status) => {
    expect((await person.send('POST', ROUTES.keys, key, headers)).status).toBe(status);
    expect((await person.send('POST', ROUTES.login, JSON.stringify({ email: person.email, password: PASSWORD }), headers)).status).toBe(status);
  });

  test('and taken from the own pages, old browsers’ too, and from programs', async () => {
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: stack.dashboardUrl }, {}])
      expect((await person.send('POST', ROUTES.keys, key, { 'content-type': 'application/json', ...(headers as Record<string, string>) })).status).toBe(200);
  });
});
