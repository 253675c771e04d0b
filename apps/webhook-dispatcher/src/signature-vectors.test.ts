import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { signatureHeaders } from './signature.js';

const FILE = join(import.meta.dirname, '../../../docs/webhooks/vectors.json');
const NOW = 1_764_000_000;
const TOLERANCE = 300;
const TASK = '01990000-0000-7000-8000-000000000001';
const secretOf = (start: number): string => `whsec_${Buffer.from(Array.from({ length: 32 }, (_, index) => start + index)).toString('base64')}`;
const SECRET = secretOf(0);

type Headers = Record<string, string>;
/** Of which header families a vector speaks: `X-Service-*`, `webhook-*`, or both alike. */
type Families = 'service' | 'standard' | 'both';

interface Signed {
  body?: string;
  attempt?: number;
  timestamp?: number;
  secret?: string;
}

const read = (response: string): string =>
  `{"task":{"id":"${TASK}","taskType":"CHATGPT","status":"COMPLETED","priority":1},"credits":{"creditsToCharge":5,"creditsCharged":5},"response":${response}}`;
const PLAIN = read('{"text":"A travel mug."}');
const NON_ASCII = read('{"text":"Größe 漢字 🚲 \u2028"}');
// Parsed and serialised again it would be another body: keys that look like numbers change places, and so do spellings of numbers and letters.
const KEY_ORDER = read('{"z":1,"a":2,"10":3,"9":4, "price":1.0,"large":1e3,"escaped":"\\u00fc\\/"}');

const sign = ({ body = PLAIN, attempt = 1, timestamp = NOW, secret = SECRET }: Signed = {}): Headers =>
  signatureHeaders({ taskId: TASK, attempt, body: Buffer.from(body), secret, timestamp });

const isService = (name: string): boolean => name.startsWith('X-Service-');
const only = (families: Families, headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => families === 'both' || isService(name) === (families === 'service')));
const without = (pattern: RegExp, headers: Headers = sign()): Headers => Object.fromEntries(Object.entries(headers).filter(([name]) => !pattern.test(name)));
const change = (pattern: RegExp, to: (value: string) => string, headers: Headers = sign()): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, pattern.test(name) ? to(value) : value]));

const SIGNATURE = /-signature$/i;
const TIMESTAMP = /-timestamp$/i;

const valid = (name: string, signed: Signed = {}, { families = 'both' as Families, headers = sign(signed), now = NOW } = {}) =>
  vector(name, { body: signed.body, timestamp: signed.timestamp, families, headers, now, reason: null });

const invalid = (name: string, reason: 'headers' | 'signature' | 'timestamp', given: { headers: Headers; body?: string; families?: Families; now?: number }) =>
  vector(name, { ...given, reason });

function vector(
  name: string,
  {
    body = PLAIN,
    timestamp = NOW,
    families = 'both',
    headers,
    now = NOW,
    reason,
  }: { body?: string | undefined; timestamp?: number | undefined; families?: Families; headers: Headers; now?: number; reason: string | null },
) {
  const bytes = Buffer.from(body).toString('base64');
  const isValid = reason === null;
  return { name, valid: isValid, reason, families, secret: SECRET, timestamp, now, toleranceSeconds: TOLERANCE, body: bytes, headers: only(families, headers) };
}

/** The keys of the two families exchanged: the decoded secret for ours, the whole string for the standard's. */
function keysMixedUp(): Headers {
  const [text, bytes] = [SECRET, Buffer.from(SECRET.slice('whsec_'.length), 'base64')];
  const ours = createHmac('sha256', bytes).update(`${NOW}.${PLAIN}`).digest('hex');
  const standard = createHmac('sha256', text).update(`${TASK}.${NOW}.${PLAIN}`).digest('base64');
  return { ...sign(), 'X-Service-Signature': `v1=${ours}`, 'webhook-signature': `v1,${standard}` };
}

/** Signed as it stands, with a timestamp that is none. */
function noTimestamp(): Headers {
  const timestamp = 'yesterday';
  return signatureHeaders({ taskId: TASK, attempt: 1, body: Buffer.from(PLAIN), secret: SECRET, timestamp: timestamp as unknown as number });
}

const vectors = [
  valid('a plain body'),
  valid('a body with letters beyond ASCII', { body: NON_ASCII }),
  valid('a body that parsing and serialising would change', { body: KEY_ORDER }),
  valid('the sixth attempt, sent again by hand', { attempt: 6 }),
  valid('signed exactly as long ago as is tolerated', { timestamp: NOW - TOLERANCE }),
  valid('signed by a clock that is as far ahead as is tolerated', { timestamp: NOW + TOLERANCE }),
  valid('X-Service-* headers alone', {}, { families: 'service' }),
  valid('webhook-* headers alone', {}, { families: 'standard' }),
  valid(
    'two signatures in webhook-signature, the second of which is right',
    {},
    {
      families: 'standard',
      headers: change(SIGNATURE, (value) => `${sign({ secret: secretOf(1) })['webhook-signature']} ${value}`),
    },
  ),
  invalid('no signature', 'headers', { headers: without(SIGNATURE) }),
  invalid('no headers of either family', 'headers', { headers: {} }),
  invalid('no timestamp', 'headers', { headers: without(TIMESTAMP) }),
  invalid('no webhook-id', 'headers', { headers: without(/^webhook-id$/), families: 'standard' }),
  invalid('one byte of the body changed', 'signature', { headers: sign(), body: PLAIN.replace('mug', 'jug') }),
  invalid('a body parsed and serialised again', 'signature', { headers: sign({ body: KEY_ORDER }), body: JSON.stringify(JSON.parse(KEY_ORDER)) }),
  invalid('a body with letters beyond ASCII escaped', 'signature', {
    headers: sign({ body: NON_ASCII }),
    body: NON_ASCII.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  }),
  invalid('a newline after the body', 'signature', { headers: sign(), body: `${PLAIN}\n` }),
  invalid('an empty body', 'signature', { headers: sign(), body: '' }),
  invalid('the secret before a rotation', 'signature', { headers: sign({ secret: secretOf(1) }) }),
  invalid('the keys of the two families mixed up', 'signature', { headers: keysMixedUp() }),
  invalid('an old delivery with a new timestamp', 'signature', { headers: change(TIMESTAMP, () => String(NOW), sign({ timestamp: NOW - 3600 })) }),
  invalid('another webhook-id', 'signature', { headers: change(/^webhook-id$/, () => TASK.replace(/1$/, '2')), families: 'standard' }),
  invalid('an empty signature', 'signature', { headers: change(SIGNATURE, () => '') }),
  invalid('a signature without its version', 'signature', { headers: change(SIGNATURE, (value) => value.replace(/^v1[=,]/, '')) }),
  invalid('a signature of another version', 'signature', { headers: change(SIGNATURE, (value) => value.replace(/^v1/, 'v2')) }),
  invalid('a signature cut short', 'signature', { headers: change(SIGNATURE, (value) => value.slice(0, -8)) }),
  invalid('a signature with something after it', 'signature', { headers: change(SIGNATURE, (value) => `${value}00`) }),
  invalid('the version and nothing after it', 'signature', { headers: change(SIGNATURE, (value) => value.slice(0, 3)) }),
  invalid('signed a second longer ago than is tolerated', 'timestamp', { headers: sign({ timestamp: NOW - TOLERANCE - 1 }) }),
  invalid('signed by a clock a second further ahead than is tolerated', 'timestamp', { headers: sign({ timestamp: NOW + TOLERANCE + 1 }) }),
  invalid('signed, with a timestamp that is no number', 'timestamp', { headers: noTimestamp() }),
];

it('docs/webhooks/vectors.json is what this service signs, and each kind of what it does not', () => {
  const about =
    'What a receiver of signed webhooks has to accept and to refuse; docs/webhooks.md says how. `body` is base64 of the raw body, `now` the Unix time of verification. Made by apps/webhook-dispatcher/src/signature-vectors.test.ts with UPDATE_VECTORS=1.';
  if (process.env['UPDATE_VECTORS']) writeFileSync(FILE, `${JSON.stringify({ about, vectors }, null, 2)}\n`);
  expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual({ about, vectors });
});
