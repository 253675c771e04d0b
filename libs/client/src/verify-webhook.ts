import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TaskRead } from './api.js';
import { RawBodyNeeded, SecretMalformed, SignatureMissing, SignatureWrong, TimestampTooFar } from './webhook-errors.js';

/** The body exactly as it came over the wire. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** The headers of a request, as Node, Express and Fastify have them, or as `fetch` and its kin do. */
export type WebhookHeaders = { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

const SECRET_FORM = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
const SECONDS_FORM = /^\d{1,12}$/;

/**
 * Checks that a request is a delivery signed with this secret, of late, and gives what it carries. Both families of headers
 * are known, `X-Service-*` and the `webhook-*` of Standard Webhooks; whichever has come has to be right, and one has to come.
 * Throws `WebhookRejected` for a request not to be trusted, and a `TypeError` when your own code passes something wrong.
 */
export function verifyWebhook(rawBody: RawBody, headers: WebhookHeaders, secret: string, toleranceSeconds = 300): TaskRead {
  const body = bytesOf(rawBody);
  const standardKey = standardKeyOf(secret);
  const read = readerOf(headers);
  const families = [serviceFamily(read, secret), standardFamily(read, standardKey)].filter((family) => family !== undefined);
  if (families.length === 0) throw new SignatureMissing('there is neither X-Service-Signature nor webhook-signature: is signing enabled?');
  for (const family of families) assertSigned(body, family);
  for (const family of families) assertRecent(family.timestamp, toleranceSeconds);
  return JSON.parse(new TextDecoder().decode(body)) as TaskRead;
}

/** What one family of headers says of a delivery. */
interface Family {
  header: string;
  timestamp: string;
  /** What is signed before the body. */
  prefix: string;
  key: string | Uint8Array;
  form: (digest: Buffer) => string;
  /** Any one of them may be right. */
  signatures: string[];
}

function serviceFamily(read: Reader, key: string): Family | undefined {
  const signature = read('X-Service-Signature');
  if (signature === undefined) return undefined;
  const timestamp = required(read, 'X-Service-Timestamp');
  return { header: 'X-Service-Signature', timestamp, prefix: `${timestamp}.`, key, form: (digest) => `v1=${digest.toString('hex')}`, signatures: [signature] };
}

function standardFamily(read: Reader, key: Uint8Array): Family | undefined {
  const signature = read('webhook-signature');
  if (signature === undefined) return undefined;
  const [id, timestamp] = [required(read, 'webhook-id'), required(read, 'webhook-timestamp')];
  const form = (digest: Buffer) => `v1,${digest.toString('base64')}`;
  return { header: 'webhook-signature', timestamp, prefix: `${id}.${timestamp}.`, key, form, signatures: signature.split(' ') };
}

function required(read: Reader, name: string): string {
  const value = read(name);
  if (value === undefined) throw new SignatureMissing(`there is a signature, but no ${name}`);
  return value;
}

function assertSigned(body: Uint8Array, { header, prefix, key, form, signatures }: Family): void {
  const expected = form(createHmac('sha256', key).update(prefix).update(body).digest());
  // All are compared, and each in constant time, so that nothing can be learnt from how long it takes.
  const matches = signatures.map((signature) => isSame(signature, expected));
  if (!matches.includes(true)) throw new SignatureWrong(`${header} does not match: another secret, or not the raw body that was sent`);
}

function assertRecent(timestamp: string, toleranceSeconds: number): void {
  if (!SECONDS_FORM.test(timestamp)) throw new TimestampTooFar('the timestamp is no Unix time in seconds');
  const age = Math.floor(Date.now() / 1000) - Number(timestamp);
  // Written so that a tolerance that is no number refuses everything.
  if (!(Math.abs(age) <= toleranceSeconds)) throw new TimestampTooFar(`signed ${age} s ago by your clock, and ${toleranceSeconds} s are tolerated`);
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function bytesOf(rawBody: RawBody): Uint8Array {
  if (typeof rawBody === 'string') return Buffer.from(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') return new Uint8Array(rawBody);
  const kind = rawBody === null ? 'null' : Array.isArray(rawBody) ? 'an array' : typeof rawBody;
  throw new RawBodyNeeded(
    `the raw body is needed, as a string or bytes, and this is ${kind}: take it before any JSON parser does, such as express.raw({ type: 'application/json' })`,
  );
}

function standardKeyOf(secret: string): Uint8Array {
  const [, encoded] = (typeof secret === 'string' && SECRET_FORM.exec(secret)) || [];
  if (encoded === undefined) throw new SecretMalformed('the secret has to be the whole whsec_ string, as it was shown when signing was enabled');
  return Buffer.from(encoded, 'base64');
}

/** Gives a header whatever its case; undefined for none. */
type Reader = (name: string) => string | undefined;

function readerOf(headers: WebhookHeaders): Reader {
  if (headers === null || typeof headers !== 'object') throw new TypeError('the headers of the request are needed, as an object or Headers');
  if (isGettable(headers)) return (name) => headers.get(name) ?? undefined;
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = byName.get(name.toLowerCase());
    // A header that came twice is in doubt: the first alone could be anybody's.
    return typeof value === 'string' || value === undefined ? value : value.join(', ');
  };
}

const isGettable = (headers: WebhookHeaders): headers is { get(name: string): string | null } => typeof headers.get === 'function';
