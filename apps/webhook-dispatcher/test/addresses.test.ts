import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AllowedHosts } from '@overheard/runtime';
import { publicLookup } from '../src/public-lookup.js';
import { Sending, type SendingOptions } from '../src/sending.js';
import { serveNames } from './name-server.js';
import { receive, type Receiver } from './receiver.js';

const HOSTS = {
  loopback: [
    ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '017700000001', '127.0.0.1.', '127.8.9.10', '%31%32%37.0.0.1'],
    ...[
      '１２７.０.０.１',
      '127。0。0。1',
      '①②⑦.0.0.1',
      'localhost',
      'LOCALHOST',
      'localhost.',
      'loc\talhost',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
    ],
  ],
  private: [
    ...[
      '10.0.0.1',
      '10.255.255.255',
      '172.16.0.1',
      '172.31.255.254',
      '192.168.1.1',
      '192.168.257',
      '0xc0a80101',
      '100.64.0.1',
      '100.127.255.254',
      '169.254.169.254',
      '169.254.1.1',
    ],
    ...['[::ffff:10.0.0.1]', '[::ffff:c0a8:101]', '[fc00::1]', '[fd12:3456:789a::1]', '[fd00:ec2::254]', '[fe80::1]', '[febf::1]', '[fec0::1]'],
  ],
  'multicast, unspecified': ['224.0.0.1', '239.255.255.250', '0.0.0.0', '0', '[::]', '[ff02::1]', '[::ffff:0.0.0.0]', '255.255.255.255'],
  'inner names': ['api.internal', 'metadata.google.internal', 'INTRA.INTERNAL', 'printer.local', 'nas.local.', 'a.b.local', 'app.localhost', 'intranet'],
  embedded: ['[::127.0.0.1]', '[::7f00:1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::1]', '[::ffff:0:7f00:1]'],
  reserved: [
    ...['240.0.0.1', '192.0.0.1', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9'],
    ...['[2001:db8::1]', '[100::1]', '[100:0:0:1::1]', '[5f00::1]', '[3fff::1]', '[2001:10::1]'],
  ],
};

let canary: Receiver;
let port: string;
beforeAll(async () => {
  canary = await receive();
  port = canary.host.split(':')[1] as string;
});
afterAll(() => canary.close());

const post = (url: string, lookup: SendingOptions['lookup'], allowed: string[] = []) =>
  new Sending({ allowed: new AllowedHosts(allowed), lookup }).post({ url, headers: {}, body: Buffer.from('{}') });
const neverAsked = () => Promise.reject(new Error('a literal address was looked up'));

describe('an address that nobody on the internet could reach is not connected to, however it is spelt', () => {
  for (const [kind, hosts] of Object.entries(HOSTS)) {
    it(`${kind}: ${hosts.length} spellings`, async () => {
      for (const host of hosts) {
        const answer = await post(`http://${host}:${port}/inside`, neverAsked);
        expect([host, answer.statusCode, answer.error]).toEqual([host, null, expect.stringMatching(/^blocked address: /)]);
      }
      expect(canary.hits).toEqual([]);
    });
  }

  it('unless the operator allows that host and port', async () => {
    expect((await post(canary.url, neverAsked, [canary.host])).statusCode).toBe(200);
    expect((await post(`http://127.0.0.1:1/`, neverAsked, [canary.host])).error).toMatch(/^blocked address/);
    canary.hits.length = 0;
  });
});

describe('a name is judged by what DNS says at each attempt', () => {
  const ZONE: Record<string, string[] | null> = {
    'private.example': ['127.0.0.1'],
    'mixed.example': ['93.184.216.34', '127.0.0.1'],
    'mixed6.example': ['93.184.216.34', '::1'],
    'mapped.example': ['::ffff:7f00:1'],
    'public.example': ['93.184.216.34', '2606:4700:4700::1111'],
    'four.example': ['93.184.216.34'],
    'empty.example': [],
    'silent.example': null,
  };
  let names: Awaited<ReturnType<typeof serveNames>>;
  let rebound = 0;
  let resolver: Resolver;
  let lookup: SendingOptions['lookup'];
  beforeAll(async () => {
    names = await serveNames((name) => (name === 'rebinding.example' ? [rebound++ < 2 ? '93.184.216.34' : '127.0.0.1'] : ZONE[name]));
    resolver = new Resolver({ timeout: 1000, tries: 1 });
    resolver.setServers([names.address]);
    lookup = publicLookup(resolver);
  });
  afterAll(() => {
    resolver.cancel();
    names.close();
  });
  const look = (name: string) => lookup(name).catch((error: Error) => error.message);
  const BLOCKED = 'blocked address: the host is not publicly reachable';

  it('any private answer refuses it, a public one beside it or not', async () => {
    for (const name of ['private', 'mixed', 'mixed6', 'mapped']) {
      const answer = await post(`http://${name}.example:${port}/inside`, lookup);
      expect([name, answer.statusCode, answer.error]).toEqual([name, null, BLOCKED]);
    }
    expect(canary.hits).toEqual([]);
  });

  it('a name that was public before and is private now is not connected to', async () => {
    expect(await look('rebinding.example')).toEqual([{ address: '93.184.216.34', family: 4 }]);
    expect((await post(`http://rebinding.example:${port}/inside`, lookup)).error).toBe(BLOCKED);
    expect(canary.hits).toEqual([]);
  });

  it('all of its public addresses are found', async () => {
    const all = [
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ];
    expect(await look('public.example')).toEqual(all);
    expect(await look('four.example')).toEqual(all.slice(0, 1));
  });

  it('a name that leads nowhere is a failure that says so', async () => {
    expect(await look('missing.example')).toBe('DNS: there is no such host');
    expect(await look('empty.example')).toBe('DNS: the host has no address');
    expect(await look('silent.example')).toBe('DNS: no answer in time');
  });

  it('names whose servers stay silent hold up no other name', async () => {
    const silent = Array.from({ length: 50 }, () => look('silent.example'));
    const startedAt = Date.now();
    await look('public.example');
    expect(Date.now() - startedAt).toBeLessThan(700);
    await Promise.all(silent);
  });
});
