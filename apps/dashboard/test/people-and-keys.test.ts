import { beforeAll, describe, expect, test } from '@jest/globals';
import { listKeys, listPeople } from '@overheard/database';
import { type Tenant, useStack } from '../../../test/stack.js';
import { ROUTES } from '../src/api.js';
import { PASSWORD, personIn, Visitor } from './visitor.js';

const stack = useStack({ services: ['dashboard', 'gateway'] });
let tenant: Tenant;
let owner: Awaited<ReturnType<typeof personIn>>;
let stranger: Awaited<ReturnType<typeof personIn>>;
let strangers: Tenant;
beforeAll(async () => {
  [tenant, strangers] = await Promise.all([stack.tenant({}, { name: 'theirs' }), stack.tenant({}, { name: 'not theirs' })]);
  owner = await personIn(stack, tenant.accountId, 'owner');
  stranger = await personIn(stack, strangers.accountId, 'owner');
});

const audited = async () => (await owner.get(ROUTES.audit)).body.entries;

describe('people', () => {
  test('who are added log in with the password they were given, in the role they were given', async () => {
    const person = new Visitor(stack.dashboardUrl, 'New.Person@Example.com');
    const { status, body } = await owner.post(ROUTES.people, { email: person.email, password: PASSWORD, role: 'viewer' });
    expect([status, body]).toEqual([
      200,
      { id: expect.any(String), email: 'new.person@example.com', role: 'viewer', since: expect.any(String), isSelf: false },
    ]);
    expect((await person.login()).body).toMatchObject({ state: 'in', account: { id: tenant.accountId, role: 'viewer' } });
    expect((await audited())[0]).toMatchObject({ person: owner.email, action: 'person.added', subject: 'new.person@example.com', detail: 'viewer' });
    expect((await owner.post(ROUTES.people, { email: person.email, password: PASSWORD, role: 'owner' })).status).toBe(409);
  });

  test('who have a login already keep their password, whoever adds them', async () => {
    expect((await owner.post(ROUTES.people, { email: stranger.email, password: 'chosen by somebody else', role: 'viewer' })).status).toBe(200);
    expect([(await stranger.login('chosen by somebody else')).status, (await stranger.login()).status]).toEqual([401, 200]);
    await owner.post(ROUTES.removalOf(stranger.personId));
    await stranger.login();
  });

  test('have another role from the next request on', async () => {
    const person = await personIn(stack, tenant.accountId, 'viewer');
    expect((await owner.post(ROUTES.roleOf(person.personId), { role: 'owner' })).body).toMatchObject({ email: person.email, role: 'owner' });
    expect((await person.get(ROUTES.audit)).status).toBe(200);
    expect((await audited())[0]).toMatchObject({ action: 'person.role_changed', subject: person.email, detail: 'owner' });
    await owner.post(ROUTES.removalOf(person.personId));
  });

  test('of an account are seen by all of them, and by nobody else', async () => {
    const viewer = await personIn(stack, tenant.accountId, 'viewer');
    const emails = (await viewer.get(ROUTES.people)).body.people.map(({ email }: { email: string }) => email);
    expect([emails.includes(owner.email), emails.includes(stranger.email)]).toEqual([true, false]);
    expect((await stranger.get(ROUTES.people)).body.people).toMatchObject([{ email: stranger.email, isSelf: true }]);
  });

  test('of another account can’t be changed or removed', async () => {
    const answers = [await owner.post(ROUTES.roleOf(stranger.personId), { role: 'viewer' }), await owner.post(ROUTES.removalOf(stranger.personId))];
    const unknown = await owner.post(ROUTES.removalOf('01890000-0000-7000-8000-000000000000'));
    expect(answers.map(({ status, text }) => [status, text])).toEqual(Array.from({ length: 2 }, () => [404, unknown.text]));
    expect(await listPeople(stack.database, strangers.accountId)).toMatchObject([{ role: 'owner' }]);
  });

  test('always have an owner, also when two owners remove each other at once', async () => {
    const { accountId } = await stack.tenant();
    const [one, two] = [await personIn(stack, accountId, 'owner'), await personIn(stack, accountId, 'owner')];
    const removed = await Promise.all([one.post(ROUTES.removalOf(two.personId)), two.post(ROUTES.roleOf(one.personId), { role: 'viewer' })]);
    expect(removed.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect((await listPeople(stack.database, accountId)).filter(({ role }) => role === 'owner').length).toBeGreaterThanOrEqual(1);
    const [left] = await listPeople(stack.database, accountId);
    const last = left?.email === one.email ? one : two;
    await last.login();
    expect([(await last.post(ROUTES.removalOf(last.personId))).status, (await last.post(ROUTES.roleOf(last.personId), { role: 'viewer' })).status]).toEqual([
      409, 409,
    ]);
  });

  test.each([
    {},
    { email: 'x', password: PASSWORD, role: 'owner' },
    { email: 'a@b.example', password: 'short', role: 'owner' },
    { email: 'a@b.example', password: PASSWORD, role: 'god' },
  ])('are not added by %j', async (given) => {
    expect((await owner.post(ROUTES.people, given)).status).toBe(400);
  });
});

describe('the audit log', () => {
  test('comes in pages, newest first, and holds nothing of another account', async () => {
    await stranger.post(ROUTES.keys, { name: 'a stranger’s' });
    for (let count = 0; count < 3; count += 1) await owner.post(ROUTES.keys, { name: `key ${count}` });
    const first = (await owner.get(`${ROUTES.audit}?limit=2`)).body;
    const second = (await owner.get(`${ROUTES.audit}?limit=2&cursor=${first.nextCursor}`)).body;
    const subjects = [...first.entries, ...second.entries].map(({ subject }: { subject: string }) => subject);
    expect(subjects.slice(0, 3)).toEqual(['key 2', 'key 1', 'key 0']);
    expect((await audited()).some(({ subject }: { subject: string }) => subject === 'a stranger’s')).toBe(false);
  });
});

describe('a key', () => {
  test('is shown once, works, and is listed without what it is', async () => {
    const { status, body } = await owner.post(ROUTES.keys, { name: 'for the reports', scopes: ['tasks:read'], expiresInDays: 2 });
    const { key, secret } = body;
    expect(status).toBe(200);
    expect(key).toEqual({
      id: expect.any(String),
      name: 'for the reports',
      lastFour: secret.slice(-4),
      test: false,
      scopes: ['tasks:read'],
      createdBy: owner.email,
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(Math.round((Date.parse(key.expiresAt) - Date.parse(key.createdAt)) / 3_600_000)).toBe(48);
    expect((await stack.as(secret).get('/v1/usage')).status).toBe(200);
    const listed = await owner.get(ROUTES.keys);
    expect([listed.text.includes(secret), listed.body.keys.some(({ id }: { id: string }) => id === key.id)]).toEqual([false, true]);
    expect((await audited())[0]).toMatchObject({ action: 'key.created', subject: 'for the reports', detail: 'tasks:read' });
    expect((await audited()).some((entry: object) => JSON.stringify(entry).includes(secret))).toBe(false);
  });

  test('with all scopes that never expires has neither on record', async () => {
    const { body } = await owner.post(ROUTES.keys, { name: 'everything', test: true });
    expect(body.key).toMatchObject({ scopes: null, expiresAt: null, test: true });
  });

  test('that is revoked is refused by the API', async () => {
    const { body } = await owner.post(ROUTES.keys, { name: 'to be revoked' });
    expect((await owner.post(ROUTES.revocationOf(body.key.id))).body).toMatchObject({ id: body.key.id, revokedAt: expect.any(String) });
    expect((await stack.as(body.secret).get('/v1/usage')).status).toBe(401);
    expect((await audited())[0]).toMatchObject({ action: 'key.revoked', subject: 'to be revoked' });
  });

  test('of another account is neither listed nor revoked', async () => {
    expect((await owner.get(ROUTES.keys)).body.keys.some(({ id }: { id: string }) => id === strangers.keyId)).toBe(false);
    expect((await owner.post(ROUTES.revocationOf(strangers.keyId))).status).toBe(404);
    expect((await listKeys(stack.database, strangers.accountId)).find(({ keyId }) => keyId === strangers.keyId)?.revokedAt).toBeNull();
  });

  test.each([
    {},
    { name: '' },
    { name: 'x', scopes: [] },
    { name: 'x', scopes: ['everything'] },
    { name: 'x', expiresInDays: 0 },
    { name: 'x\u0000' },
    { name: 'x', test: 'yes' },
  ])('is not made by %j', async (given) => {
    const { status, body } = await owner.post(ROUTES.keys, given);
    expect([status, Object.keys(body.error.fields).length]).toEqual([400, 1]);
  });
});
