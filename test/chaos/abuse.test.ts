import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { beforeEach, expect, test } from '@jest/globals';
import { revokeKey } from '@overheard/database';
import { until } from '@overheard/testing';
import { ApiClient } from '../api-client.js';
import { type Tenant, useStack } from '../stack.js';
import { figure, percentile } from './figures.js';

const TEST_MS = 120_000;

const stack = useStack({ cuttable: true });
let tenant: Tenant;
beforeEach(async () => void (tenant = await stack.tenant({ rate: 100_000 })));

test('a key that is revoked under load is refused on every gateway within a second', async () => {
  const other = await stack.another('gateway');
  const at = new ApiClient(`http://127.0.0.1:${other.program.env['PORT']}`, tenant.key);
  const gateways = [tenant, at];
  let revokedAt = Infinity;
  const refusedAfter: number[] = [];
  const late: number[] = [];
  const asking = gateways.map(async (gateway, index) => {
    while (refusedAfter[index] === undefined) {
      const began = Date.now();
      const { status } = await gateway.get('/v1/countries');
      if (status === 401) refusedAfter[index] = Date.now() - revokedAt;
      else if (began > revokedAt + 1000) late.push(began - revokedAt);
    }
  });
  await until('some load', () => new Promise((resolve) => setTimeout(resolve, 500, true)));
  await revokeKey(stack.database, tenant.keyId);
  revokedAt = Date.now();
  await Promise.all(asking);
  await other.stop();
  figure('refused after, ms', refusedAfter.join(' and '));
  expect(late).toEqual([]);
});

test(
  'ten thousand malformed keys are refused without a single query: PostgreSQL is away meanwhile',
  async () => {
    await stack.cut('DATABASE_URL');
    const began = Date.now();
    const malformed = [
      'sk_live_',
      'sk_live_short',
      `sk_live_${'x'.repeat(44)}`,
      `sk_prod_${randomBytes(32).toString('base64url')}`,
      'x',
      `sk_live_${'ä'.repeat(43)}`,
    ];
    let next = 0;
    const statuses = new Set<string>();
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (; next < 10_000; next += 1) {
          const key = encodeURIComponent(`${malformed[next % malformed.length]}`);
          const response = await fetch(`${stack.baseUrl}/v1/countries`, { headers: { authorization: `Bearer ${key}` } });
          statuses.add(`${response.status} ${((await response.json()) as { error: { code: string } }).error.code}`);
        }
      }),
    );
    await stack.mend('DATABASE_URL');
    figure('refused a second', 10_000 / ((Date.now() - began) / 1000));
    expect([...statuses]).toEqual(['401 INVALID_API_KEY_FORMAT']);
  },
  TEST_MS,
);

test(
  'a thousand connections that never finish their headers hold up nobody else',
  async () => {
    const { hostname, port } = new URL(stack.baseUrl);
    const sockets: Socket[] = [];
    for (let count = 0; count < 1000; count += 1) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write('POST /v1/monitor/chatgpt HTTP/1.1\r\nhost: x\r\n');
      sockets.push(socket);
    }
    const trickle = setInterval(() => sockets.forEach((socket) => socket.writable && socket.write('x-a: b\r\n')), 1000);
    const times: number[] = [];
    for (let count = 0; count < 200; count += 1) {
      const began = performance.now();
      expect((await tenant.get('/v1/countries')).status).toBe(200);
      times.push(performance.now() - began);
    }
    const openThen = sockets.filter(({ destroyed }) => !destroyed).length;
    clearInterval(trickle);
    for (const socket of sockets) socket.destroy();
    figure('p95, ms', percentile(times, 95));
    expect(openThen).toBeGreaterThan(900);
    expect(percentile(times, 95)).toBeLessThan(500);
  },
  TEST_MS,
);
