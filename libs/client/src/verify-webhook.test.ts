import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RawBodyNeeded, SecretMalformed, SignatureMissing, SignatureWrong, TimestampTooFar, verifyWebhook, WebhookRejected } from './index.js';

interface Vector {
  name: string;
  reason: 'headers' | 'signature' | 'timestamp' | null;
  secret: string;
  now: number;
  toleranceSeconds: number;
  body: string;
  headers: Record<string, string>;
}

const { vectors } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/webhooks/vectors.json'), 'utf8')) as { vectors: Vector[] };
const [plain] = vectors as [Vector];
const CLASSES = { headers: SignatureMissing, signature: SignatureWrong, timestamp: TimestampTooFar };
const bodyOf = ({ body }: Vector): Buffer => Buffer.from(body, 'base64');
const lowerCase = (headers: Record<string, string>) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

beforeEach(() => void jest.useFakeTimers({ now: plain.now * 1000 }));
afterEach(() => void jest.useRealTimers());

describe('the vectors', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const { reason, headers, secret, now, toleranceSeconds } = vector;
    jest.setSystemTime(now * 1000);
    const body = bodyOf(vector);
    const forms = [headers, lowerCase(headers), new Headers(headers)];
    for (const form of forms) {
      const verify = () => verifyWebhook(body, form, secret, toleranceSeconds);
      if (reason === null) expect(verify()).toEqual(JSON.parse(body.toString()));
      else expect(verify).toThrow(CLASSES[reason]);
    }
  });

  it('hold each kind', () => expect(new Set(vectors.map(({ reason }) => reason))).toEqual(new Set([null, 'headers', 'signature', 'timestamp'])));
});

describe('a body', () => {
  it('may be text, a Buffer, other bytes or an ArrayBuffer', () => {
    const bytes = bodyOf(plain);
    for (const body of [bytes.toString(), bytes, new Uint8Array(bytes), new Uint8Array(bytes).buffer]) {
      expect(verifyWebhook(body, plain.headers, plain.secret).task.status).toBe('COMPLETED');
    }
  });

  it.each([
    ['object', JSON.parse(bodyOf(plain).toString())],
    ['an array', []],
    ['undefined', undefined],
    ['null', null],
  ])('that is no raw one is the fault of the caller, who is told how to get it: %s', (kind, body) => {
    const verify = () => verifyWebhook(body, plain.headers, plain.secret);
    expect(verify).toThrow(RawBodyNeeded);
    expect(verify).toThrow(kind);
    expect(verify).toThrow('express.raw');
    expect(verify).not.toThrow(WebhookRejected);
  });
});

describe('headers', () => {
  it('of both families have to be right where both have come', () => {
    for (const name of ['X-Service-Signature', 'webhook-signature']) {
      const headers = { ...plain.headers, [name]: `${plain.headers[name]?.slice(0, 3)}${'A'.repeat(44)}` };
      expect(() => verifyWebhook(bodyOf(plain), headers, plain.secret)).toThrow(new RegExp(`^${name} does not match`));
    }
  });

  it('that came twice are not trusted', () => {
    const signature = plain.headers['X-Service-Signature'] as string;
    const headers = { ...plain.headers, 'X-Service-Signature': [signature, 'v1=00'] };
    expect(() => verifyWebhook(bodyOf(plain), headers, plain.secret)).toThrow(SignatureWrong);
  });

  it.each([undefined, null, 'x'])('have to be some: %s', (headers) => {
    expect(() => verifyWebhook(bodyOf(plain), headers as never, plain.secret)).toThrow(TypeError);
  });
});

it.each([undefined, '', 'whsec_', 'AAEC', 'whsec_ää', ' whsec_AAEC', 'whsec_AAEC\n'])('a secret that is none is the fault of the caller: %j', (secret) => {
  expect(() => verifyWebhook(bodyOf(plain), plain.headers, secret as string)).toThrow(SecretMalformed);
});

it('the tolerance is the one given, 300 seconds by default, and none at all when it is no number', () => {
  const after = (seconds: number, tolerance?: number) => () => {
    jest.setSystemTime((plain.now + seconds) * 1000);
    return verifyWebhook(bodyOf(plain), plain.headers, plain.secret, tolerance);
  };
  expect(after(300)).not.toThrow();
  expect(after(301)).toThrow(TimestampTooFar);
  expect(after(11, 10)).toThrow(TimestampTooFar);
  expect(after(100_000, Infinity)).not.toThrow();
  expect(after(0, NaN)).toThrow(TimestampTooFar);
});

it('a name of an error says what happened', () => {
  const unsigned = () => verifyWebhook(bodyOf(plain), {}, plain.secret);
  expect(unsigned).toThrow(expect.objectContaining({ name: 'SignatureMissing', message: expect.stringContaining('is signing enabled?') }));
  const forged = createHmac('sha256', 'guess').update('x').digest('hex');
  expect(() => verifyWebhook(bodyOf(plain), { ...plain.headers, 'x-service-signature': `v1=${forged}` }, plain.secret)).toThrow(WebhookRejected);
});
