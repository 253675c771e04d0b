import { expect, it } from '@jest/globals';
import { type Claim, InFlight } from './in-flight.js';

const claim = (deliveryId: string, fields: Partial<Claim> = {}): Claim => ({
  deliveryId,
  taskId: deliveryId,
  accountId: 'account',
  receiver: 'receiver',
  url: 'http://example.com/',
  attempt: 1,
  body: null,
  bodyBytes: 100,
  secret: null,
  trace: null,
  lagMs: 0,
  ...fields,
});

it('a receiver has room for five, its account for fifty', () => {
  const inFlight = new InFlight();
  const claims = ['1', '2', '3', '4', '5'].map((id) => claim(id));
  for (const one of claims) inFlight.add(one);
  inFlight.add(claim('6', { receiver: 'another' }));
  expect(inFlight.room()).toEqual({ receivers: { receiver: 0, another: 4 }, accounts: { account: 44 } });
  inFlight.delete(claims[0] as Claim);
  expect(inFlight.room()).toEqual({ receivers: { receiver: 1, another: 4 }, accounts: { account: 45 } });
});

it('an account whose large bodies are under way waits as well', () => {
  const inFlight = new InFlight();
  for (const id of ['1', '2']) inFlight.add(claim(id, { bodyBytes: 40 * 1024 * 1024 }));
  inFlight.add(claim('3', { accountId: 'another' }));
  expect(inFlight.room().accounts).toEqual({ account: 0, another: 49 });
});
