import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { AllowedHosts } from '@overheard/runtime';
import { until } from '@overheard/testing';
import { LookupFailed } from '../src/public-lookup.js';
import { Sending } from '../src/sending.js';
import { answer, type Behaviour, hang, receive, type Receiver } from './receiver.js';

// Only tests of the limits themselves have short ones, so that a busy machine makes no other fail.
const PATIENT = { connectMs: 30_000, totalMs: 60_000 };
const TOTAL_MS = 700;
const HASTY = { connectMs: 30_000, totalMs: TOTAL_MS };
const opened: { close(): void }[] = [];
afterEach(() => opened.splice(0).forEach((one) => one.close()));

const from = async (behave: Behaviour): Promise<Receiver> => {
  const receiver = await receive(behave);
  opened.push(receiver);
  return receiver;
};

/** Takes connections and does something else than HTTP with them. */
async function socketServer(take: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    take(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push({ close: () => (sockets.forEach((socket) => socket.destroy()), server.close()) });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function post(url: string, { body = Buffer.from('{"task":{}}'), limits = PATIENT } = {}) {
  const lookup = () => Promise.reject(new Error('nothing is looked up here'));
  return new Sending({ allowed: new AllowedHosts([new URL(url).host]), lookup, ...limits }).post({
    url,
    headers: { 'Content-Type': 'application/json' },
    body,
  });
}

describe('what counts', () => {
  it('any 2xx acknowledges', async () => {
    for (const status of [200, 201, 202, 204, 299]) {
      expect(await post((await from(answer(status))).url)).toMatchObject({ statusCode: status, error: null });
    }
  });

  it('any other status is a failure with its number', async () => {
    for (const status of [400, 404, 410, 429, 500, 503]) {
      expect(await post((await from(answer(status))).url)).toMatchObject({ statusCode: status, error: `the receiver answered ${status}` });
    }
  });

  it('a redirect is a failure and is not followed', async () => {
    const canary = await from(answer(200));
    for (const status of [301, 302, 303, 307, 308]) {
      const { url } = await from((_request, response) => void response.writeHead(status, { location: canary.url }).end());
      expect(await post(url)).toMatchObject({ statusCode: status, error: `redirect: the receiver answered ${status}, which is not followed` });
    }
    expect(canary.hits).toEqual([]);
  });

  it('a body of many megabytes arrives whole', async () => {
    const body = Buffer.alloc(8 * 1024 * 1024, 'é');
    const receiver = await from(answer(200));
    await post(receiver.url, { body });
    expect(receiver.hits[0]?.raw.equals(body)).toBe(true);
  });
});

describe('failures have their own words', () => {
  it.each([
    ['a closed port', async () => (await closedPort()).replace(/^/, 'http://'), 'the connection was refused'],
    ['a connection that breaks off', async () => (await from((request) => void request.socket.resetAndDestroy())).url, 'the connection was broken off'],
    [
      'an end without an answer',
      async () => `http://${await socketServer((socket) => socket.on('data', () => socket.end()))}/`,
      'the connection was broken off',
    ],
    [
      'no HTTP',
      async () => `http://${await socketServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'))}/`,
      expect.stringMatching(/^the answer is no HTTP/),
    ],
    ['no TLS', async () => `https://${(await from(answer(200))).host}/`, expect.stringMatching(/^TLS: /)],
    ['a certificate of its own making', async () => `https://${await selfSigned()}/`, 'TLS: self-signed certificate'],
    [
      'a handshake that never ends',
      async () => `https://${await socketServer(() => undefined)}/`,
      'timeout: no connection within 0.3 s',
      { ...PATIENT, connectMs: 300 },
    ],
    ['silence', async () => (await from(hang)).url, 'timeout: no answer within 0.7 s', HASTY],
  ])('%s', async (_what, url, error, limits = PATIENT) => {
    expect(await post(await url(), { limits })).toMatchObject({ statusCode: null, error, answer: null });
  });

  async function closedPort(): Promise<string> {
    const receiver = await receive();
    receiver.close();
    return receiver.host;
  }

  async function selfSigned(): Promise<string> {
    const read = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name));
    const server = createTlsServer({ cert: read('loopback.crt'), key: read('loopback.key') }, (_request, response) => void response.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.push(server);
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});

describe('a receiver can hold nothing up', () => {
  const trickle = (text: string) => (socket: Socket) => {
    let index = 0;
    const timer = setInterval(() => socket.write(text[index++ % text.length] as string), 50);
    socket.on('close', () => clearInterval(timer));
  };
  const endless =
    (status: number, closed: { after?: number }): Behaviour =>
    (request, response) => {
      const startedAt = Date.now();
      request.socket.on('close', () => (closed.after = Date.now() - startedAt));
      response.on('error', () => undefined);
      response.writeHead(status);
      const pour = (): void => {
        while (!request.socket.destroyed && response.write(Buffer.alloc(65_536, 'z')));
        response.once('drain', pour);
      };
      pour();
    };

  it('a head that trickles is given up after the whole time', async () => {
    const { error, durationMs } = await post(`http://${await socketServer(trickle(`HTTP/1.1 200 OK\r\nX-Slow: ${'y'.repeat(4000)}`))}/`, { limits: HASTY });
    expect(error).toBe('timeout: no answer within 0.7 s');
    expect(durationMs).toBeGreaterThanOrEqual(TOTAL_MS - 5);
    expect(durationMs).toBeLessThan(TOTAL_MS + 3000);
  });

  it('so is a body that trickles, with the status that came', async () => {
    const { url } = await from((_request, response) => {
      response.writeHead(500).write('a');
      const timer = setInterval(() => response.write('b'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const { statusCode, error, durationMs, answer: kept } = await post(url, { limits: HASTY });
    expect([statusCode, error]).toEqual([500, 'the receiver answered 500']);
    expect(durationMs).toBeLessThan(TOTAL_MS + 3000);
    expect(kept?.toString()).toMatch(/^ab+$/);
  });

  it('a 2xx acknowledges at once, whatever its body does, and the connection is cut', async () => {
    const closed: { after?: number } = {};
    const { url } = await from(endless(200, closed));
    const { statusCode, error, durationMs } = await post(url);
    expect([statusCode, error]).toEqual([200, null]);
    expect(durationMs).toBeLessThan(PATIENT.totalMs / 2);
    expect(await until('the connection closed', () => closed.after)).toBeLessThan(PATIENT.totalMs / 2);
  });

  it('of an endless failure the beginning is kept and the rest cut off', async () => {
    const closed: { after?: number } = {};
    const { url } = await from(endless(500, closed));
    const { statusCode, answer: kept } = await post(url);
    expect([statusCode, kept?.length]).toEqual([500, 4096]);
    expect(await until('the connection closed', () => closed.after)).toBeLessThan(PATIENT.totalMs / 2);
  });

  it('fifty endless answers at a time take no memory to speak of', async () => {
    const { url } = await from(endless(500, {}));
    const before = process.memoryUsage().rss;
    await Promise.all(Array.from({ length: 50 }, () => post(url)));
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('compressed answers are neither asked for nor unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024));
    const receiver = await from((_request, response) => void response.writeHead(500, { 'content-encoding': 'gzip' }).end(bomb));
    expect((await post(receiver.url)).answer?.equals(bomb.subarray(0, 4096))).toBe(true);
    expect(receiver.hits[0]?.headers['accept-encoding']).toBeUndefined();
  });
});

describe('a connection', () => {
  const NAMES: Record<string, string> = {};
  const lookup = (hostname: string) => {
    const address = NAMES[hostname];
    return address ? Promise.resolve([{ address, family: 4 }]) : Promise.reject(new LookupFailed('blocked address: the host is not publicly reachable'));
  };
  const patient = () => new Sending({ allowed: new AllowedHosts([]), lookup, ...PATIENT });
  const POSTING = { headers: { 'Content-Type': 'application/json' }, body: Buffer.from('{}') };
  const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

  /** Answers the n-th request of a connection, and tells how many connections there were. */
  async function connections(reply: (socket: Socket, count: number) => void) {
    let opened = 0;
    const host = await socketServer((socket) => {
      let count = 0;
      opened += 1;
      socket.on('data', () => reply(socket, (count += 1)));
    });
    return { opened: () => opened, port: host.split(':')[1] };
  }

  it('is used again for the next attempt to a host that is found at the same addresses, and for no other', async () => {
    const { opened, port } = await connections((socket) => socket.write(OK));
    Object.assign(NAMES, { 'one.example': '127.0.0.1', 'two.example': '127.0.0.1' });
    const sending = patient();
    for (const [host, count] of [
      ['one', 1],
      ['one', 1],
      ['two', 2],
      ['one', 2],
    ] as const) {
      expect(await sending.post({ url: `http://${host}.example:${port}/`, ...POSTING })).toMatchObject({ statusCode: 200 });
      expect(opened()).toBe(count);
    }
    NAMES['one.example'] = '127.0.0.2';
    expect((await sending.post({ url: `http://one.example:${port}/`, ...POSTING })).error).not.toBeNull();
    expect(opened()).toBe(2);
  });

  it('is of no use once the name leads to where nobody may go', async () => {
    const { opened, port } = await connections((socket) => socket.write(OK));
    NAMES['rebinding.example'] = '127.0.0.1';
    const sending = patient();
    const url = `http://rebinding.example:${port}/`;
    expect(await sending.post({ url, ...POSTING })).toMatchObject({ statusCode: 200 });
    delete NAMES['rebinding.example'];
    expect(await sending.post({ url, ...POSTING })).toMatchObject({ statusCode: null, error: 'blocked address: the host is not publicly reachable' });
    expect(opened()).toBe(1);
  });

  it('that its receiver closes just when it is used again costs the delivery no attempt', async () => {
    const { opened, port } = await connections((socket, count) => (count === 1 ? socket.write(OK) : socket.resetAndDestroy()));
    NAMES['closing.example'] = '127.0.0.1';
    const sending = patient();
    const url = `http://closing.example:${port}/`;
    for (const count of [1, 2]) {
      expect(await sending.post({ url, ...POSTING })).toMatchObject({ statusCode: 200, error: null });
      expect(opened()).toBe(count);
    }
  });

  it('that was used again and breaks off after a while is a failure', async () => {
    const { opened, port } = await connections((socket, count) => (count === 1 ? socket.write(OK) : setTimeout(() => socket.resetAndDestroy(), 1200)));
    NAMES['breaking.example'] = '127.0.0.1';
    const sending = patient();
    const url = `http://breaking.example:${port}/`;
    expect(await sending.post({ url, ...POSTING })).toMatchObject({ statusCode: 200 });
    expect(await sending.post({ url, ...POSTING })).toMatchObject({ statusCode: null, error: 'the connection was broken off' });
    expect(opened()).toBe(1);
  });

  it('whose answer has not ended is not used again', async () => {
    const { opened, port } = await connections((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nnot yet'));
    NAMES['slow.example'] = '127.0.0.1';
    const sending = patient();
    for (const count of [1, 2]) {
      expect(await sending.post({ url: `http://slow.example:${port}/`, ...POSTING })).toMatchObject({ statusCode: 200 });
      expect(opened()).toBe(count);
    }
  });
});

describe('a proxy of the environment', () => {
  const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'];
  afterAll(() => names.forEach((name) => delete process.env[name]));

  it('is not used', async () => {
    const [proxy, receiver] = [await from(answer(200)), await from(answer(200))];
    for (const name of names) process.env[name] = `http://${proxy.host}`;
    await post(receiver.url);
    expect([proxy.hits.length, receiver.hits.length]).toEqual([0, 1]);
  });
});
