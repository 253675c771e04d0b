import { expect, it } from '@jest/globals';
import { signatureHeaders } from './signature.js';

const TASK = '01990000-0000-7000-8000-000000000001';
// openssl dgst -sha256 -hmac gives the same: the vectors are what a receiver has to reproduce.
const SECRET = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64')}`;

it('signs timestamp, dot and raw body with the whole secret, and id, timestamp and body with its decoded part', () => {
  const headers = signatureHeaders({ taskId: TASK, attempt: 3, body: Buffer.from('{"text":"Größe 漢字 🚲"}'), secret: SECRET, timestamp: 1_764_000_000 });
  expect(SECRET).toBe('whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=');
  expect(headers).toEqual({
    'X-Service-Timestamp': '1764000000',
    'X-Service-Signature': 'v1=d4fc55f058a35f85b8eeeca4851d6c463a27cc64457c0958662ee82fd55929aa',
    'X-Service-Webhook-Id': `${TASK}-3`,
    'webhook-id': TASK,
    'webhook-timestamp': '1764000000',
    'webhook-signature': 'v1,Xwi16TRuwIOiV4EbK2bYt1og5EABTMYwGdtLZqawlOo=',
  });
});

it('a flipped byte, another second or another order of keys gives another signature', () => {
  const signed = { taskId: TASK, attempt: 1, body: Buffer.from('{"a":1,"b":2}'), secret: SECRET, timestamp: 1_764_000_000 };
  const variants = [
    signed,
    { ...signed, body: Buffer.from('{"a":1,"b":3}') },
    { ...signed, body: Buffer.from('{"b":2,"a":1}') },
    { ...signed, timestamp: 1_764_000_001 },
  ];
  const signatures = variants.map((variant) => signatureHeaders(variant)['X-Service-Signature']);
  expect(new Set(signatures).size).toBe(variants.length);
});
