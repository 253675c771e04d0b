import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, expect, test } from '@jest/globals';
import { deviation, document } from './conformance.js';
import { randomFrom } from './random.js';
import { type Tenant, useStack } from './stack.js';

// Reproducible: FUZZ_SEED and FUZZ_REQUESTS give another run, and a longer one.
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_131);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1500);
const AT_ONCE = 8;
const WITHIN_MS = 60_000 + REQUESTS * 60;
const GROWTH_MAX_BYTES = 200 * 1024 * 1024;

// Nobody works here: what is valid and can be paid for is accepted and stays queued.
const stack = useStack({ services: ['gateway'] });
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
/** Without credits, so that no monitor call waits for an answer; and one that can pay, for everything else. */
let poor: Tenant;
let rich: Tenant;
beforeAll(async () => {
  poor = await stack.tenant({ credits: 0, rate: 1_000_000, concurrency: 1000 });
  rich = await stack.tenant({ rate: 1_000_000 });
});

interface Shot {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
}

interface Hit {
  status: number;
  headers: Headers;
  text: string;
}

test(
  'nothing that is sent makes the service fail: every answer is the document’s, with a request id, and refusals are JSON',
  async () => {
    const random = randomFrom(SEED);
    const shots = Array.from({ length: REQUESTS }, () => shotFrom(random));
    const faults: string[] = [];
    const statuses = new Map<number, number>();
    let memoryBefore = 0;
    let next = 0;
    const lane = async () => {
      for (let index = next++; index < shots.length; index = next++) {
        if (index === Math.floor(shots.length / 3)) memoryBefore = await memory();
        const shot = shots[index] as Shot;
        // What the input causes, it causes again; what a busy machine does not manage in time is no fault of the input.
        const first = await fire(shot);
        const hit = first.status >= 500 ? await fire(shot) : first;
        statuses.set(hit.status, (statuses.get(hit.status) ?? 0) + 1);
        const fault = faultOf(shot, hit);
        if (fault)
          faults.push(
            `seed ${SEED}, request ${index}: ${shot.method} ${shot.path.slice(0, 200)} ${shot.body?.toString('utf8').slice(0, 300) ?? ''}: ${fault}; ${hit.text.slice(0, 200)}`,
          );
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    expect(faults.slice(0, 10)).toEqual([]);
    // The requests are hostile and yet not all refused at the first door.
    for (const status of [202, 400, 403, 404]) expect(statuses.get(status) ?? 0).toBeGreaterThan(10);
    expect((await memory()) - memoryBefore).toBeLessThan(GROWTH_MAX_BYTES);
  },
  WITHIN_MS,
);

const KEY = 'authorization: Bearer KEY';
const BODY = '{"prompt":"mugs","country":"US"}';

test.each([
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['a line break inside a header', `GET /v1/countries HTTP/1.1\r\nhost: x\r\n${KEY}\r\nx-a: b\rset-cookie: c\r\n\r\n`],
  ['a NUL inside a header', `GET /v1/countries HTTP/1.1\r\nhost: x\r\n${KEY}\r\nx-a: b\0c\r\n\r\n`],
  ['two lengths', `POST /v1/monitor/chatgpt HTTP/1.1\r\nhost: x\r\n${KEY}\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\n${BODY}`],
  ['a length and chunks', `POST /v1/monitor/chatgpt HTTP/1.1\r\nhost: x\r\n${KEY}\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
  [
    'a chunk without a length',
    `POST /v1/async/task HTTP/1.1\r\nhost: x\r\n${KEY}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n`,
  ],
  ['endless headers', `GET /v1/countries HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(100_000)}\r\n\r\n`],
  ['an endless path', `GET /v1/${'a'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
  ['a method that nobody knows', `BREW /v1/countries HTTP/1.1\r\nhost: x\r\n${KEY}\r\n\r\n`],
])('%s is answered with JSON and a request id', async (_what, text) => {
  const answer = await raw(text.replace('KEY', rich.key));
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/im);
  expect(JSON.parse(body)).toHaveProperty('error');
});

test('names of unknown fields cannot add headers to the answer', async () => {
  const { headers } = await poor.ask({ 'a\r\nset-cookie: b': 1, 'x\u0000y': 1, ünï: 1, plain: 1 });
  expect([headers.get('x-ignored-fields'), headers.get('set-cookie')]).toEqual(['plain', null]);
});

function faultOf(shot: Shot, { status, headers, text }: Hit): string | undefined {
  if (status >= 500)
    return `answered ${status} twice: ${JSON.stringify(stack.log('gateway').filter(({ requestId, err }) => err && requestId === headers.get('x-request-id')))}`;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return status < 400 || shot.method === 'HEAD' ? undefined : 'an error that is no JSON';
  }
  return deviation({ method: shot.method, path: shot.path, status, headers, body });
}

/** A document's operation with its example, made worse. */
function shotFrom(random: () => number): Shot {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const [template, methods] = pick(Object.entries<Record<string, any>>(document['paths']));
  const [method, operation] = pick(Object.entries(methods));
  const key = template.includes('/monitor/') || random() < 0.3 ? poor.key : rich.key;
  const authorization =
    random() < 0.05 ? pick(['', 'Bearer', 'Basic eDp5', 'Bearer sk_live_x', `Bearer ${'x'.repeat(5000)}`, 'Bearer \u00ff']) : `Bearer ${key}`;
  const headers: Record<string, string> = authorization ? { authorization } : {};
  const path =
    template.replace(/\{\w+\}/g, () => (random() < 0.5 ? '019b0a4c-7c1e-7d2a-9b54-0f6f3c1d2e3f' : escapedOf(pick(TEXTS)))) +
    query(operation.parameters ?? [], random, pick);
  const shot = { method: random() < 0.03 ? pick(['PUT', 'PATCH', 'OPTIONS', 'HEAD', 'DELETE']) : method.toUpperCase(), path, headers };
  const example = withOwnKey(operation.requestBody?.content['application/json'].example, random);
  if (example === undefined && random() < 0.9) return shot;
  headers['content-type'] =
    random() < 0.04 ? pick(['text/plain', 'application/jsonx', 'multipart/form-data', 'application/json; charset=utf-16', '\u00ff']) : 'application/json';
  return { ...shot, body: Buffer.from(worseText(JSON.stringify(worse(example ?? {}, random, pick)), random, pick), random() < 0.03 ? 'latin1' : 'utf8') };
}

/** A key that was used before would end most creations at their last check. */
function withOwnKey(example: unknown, random: () => number): unknown {
  return example && JSON.parse(JSON.stringify(example).replaceAll(/("idempotencyKey":"[^"]*)/g, (start) => `${start}-${Math.floor(random() * 2 ** 32)}`));
}

/** As a path or a query can carry it; half a character becomes a broken one. */
const escapedOf = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

type Pick = <T>(list: readonly T[]) => T;

function query(parameters: { name: string; in: string }[], random: () => number, pick: Pick): string {
  const known = parameters.filter((parameter) => parameter.in === 'query').filter(() => random() < 0.6);
  const pairs = [...known.map(({ name }) => name), ...(random() < 0.1 ? ['__proto__', 'x[]', ''] : [])].map(
    (name) => `${name}=${escapedOf(pick([...TEXTS, '1s', '7', '2026-01-31', 'day']))}`,
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : random() < 0.05 ? '?%' : '';
}

/** Replaces, removes or adds up to four values, at any depth. */
function worse(example: unknown, random: () => number, pick: Pick): unknown {
  const body = structuredClone(example) as Record<string, unknown>;
  if (random() < 0.05) return structuredClone(pick(VALUES));
  for (let turn = Math.floor(random() * 5); turn > 0; turn -= 1) {
    let at = body;
    for (let depth = Math.floor(random() * 3); depth > 0; depth -= 1) {
      const inner = Object.values(at).filter((value) => typeof value === 'object' && value !== null);
      if (inner.length > 0) at = pick(inner) as Record<string, unknown>;
    }
    const name = random() < 0.7 && Object.keys(at).length > 0 ? pick(Object.keys(at)) : pick(NAMES);
    if (random() < 0.15) delete at[name];
    else Object.defineProperty(at, name, { value: structuredClone(pick(VALUES)), enumerable: true, configurable: true, writable: true });
  }
  return body;
}

/** What JSON.stringify would never write. */
function worseText(text: string, random: () => number, pick: Pick): string {
  if (random() > 0.15) return text;
  return pick<(text: string) => string>([
    (json) => json.slice(0, Math.floor(random() * json.length)),
    (json) => json.replace('{', '{"prompt":"first","country":7,"taskType":null,'),
    (json) => json.replace(/\}$/, ',"country":"DE","country":"US","include":{"html":false},"include":{"html":false}}'),
    (json) => `\uFEFF${json}`,
    (json) => `${json}\u0000`,
    (json) => json.replace('"', '"\\ud800'),
    (json) => json.replace(/:"/, ':"\\u0000'),
    () => '['.repeat(50_000),
    () => `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    (json) => json.replace(/\}$/, `,"include":${'{"html":'.repeat(5000)}1${'}'.repeat(5000)}}`),
    (json) => json.replace(/\}$/, `,"priority":1e999,"pages":-0,"n":${'9'.repeat(5000)}}`),
    (json) => json.replace(/\}$/, `,"padding":"${'x'.repeat(1_200_000)}"}`),
    () => '',
    () => ' ',
    () => 'null',
  ])(text);
}

const TEXTS = [
  '',
  ' ',
  'x',
  '\u0000',
  '\ud800',
  'a\udfffb',
  '🫖'.repeat(300),
  'e\u0301'.repeat(100),
  '\u202e\u2066drawkcab',
  '%00%ff%',
  '../../etc/passwd',
  "' or 1=1 --",
  '${7*7}{{7*7}}',
  '<script>alert(1)</script>',
  'a\r\nset-cookie: b=c',
  'x'.repeat(10_001),
  'ÿ',
  '\u2028\u2029\u0085',
  '٣',
  'US',
  'us',
  'http://localhost/',
  'http://[::1]:80/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://user:password@example.com/',
  `https://example.com/${'a'.repeat(3000)}`,
  'https://example.com:99999/',
  'https://exa mple.com/',
];
const NUMBERS = [0, -1, 1.5, 11, 1e308, -1e308, 5e-324, 2 ** 53, -(2 ** 63), 4_294_967_296];
const VALUES: readonly unknown[] = [
  ...TEXTS,
  ...NUMBERS,
  true,
  false,
  null,
  [],
  {},
  [[[]]],
  ['x'],
  [null],
  { html: 'true' },
  { url: {} },
  { toString: 1 },
  { length: { toString: 1 } },
  { length: 1e9 },
];
const NAMES = [
  'include',
  'webhook',
  'priority',
  'idempotencyKey',
  'payload',
  'prompt',
  'query',
  'country',
  'location',
  'uule',
  'device',
  'pages',
  'taskType',
  'tasks',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '',
  'a\r\nb',
  '\u0000',
  '\ud800',
  'x'.repeat(1000),
];

function fire({ method, path, headers, body }: Shot): Promise<Hit> {
  const { hostname, port } = new URL(stack.baseUrl);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { hostname, port, method, path, agent, headers: { ...headers, ...(body ? { 'content-length': String(body.length) } : {}) } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const told = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
          resolve({ status: response.statusCode ?? 0, headers: new Headers(told), text: Buffer.concat(chunks).toString('utf8') });
        });
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(stack.baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'));
    let answer = '';
    socket.setEncoding('latin1').on('data', (part: string) => {
      answer += part;
      if (/\r\n\r\n[^]*\}$/.test(answer)) socket.destroy();
    });
    // An answer that came before the rest was read is an answer.
    socket.on('error', (error) => (answer ? undefined : reject(error)));
    socket.on('close', () => resolve(answer));
  });
}

async function memory(): Promise<number> {
  const text = await (await fetch(`${stack.healthUrl('gateway')}/metrics`)).text();
  return Number(/^process_resident_memory_bytes\S* ([\d.e+]+)/m.exec(text)?.[1]);
}
