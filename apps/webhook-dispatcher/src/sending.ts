import type { LookupAddress } from 'node:dns';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type AllowedHosts, webhookUrlProblem } from '@overheard/runtime';
import { LookupFailed } from './public-lookup.js';

export interface Posting {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** What became of an attempt: acknowledged exactly when there is no error. */
export interface Answer {
  statusCode: number | null;
  error: string | null;
  durationMs: number;
  /** How the receiver's answer begins. */
  answer: Buffer | null;
}

export interface SendingOptions {
  allowed: AllowedHosts;
  /** Finds and judges the addresses of hosts that are not expressly allowed. Rejects with `LookupFailed`. */
  lookup: (hostname: string) => Promise<LookupAddress[]>;
  connectMs?: number;
  totalMs?: number;
}

// Decision W4.
const CONNECT_MS = 5000;
const TOTAL_MS = 15_000;
const READ_MAX_BYTES = 64 * 1024;
const KEPT_MAX_BYTES = 4 * 1024;
/** How long the body of an acknowledgement may take before the connection is cut. */
const LINGER_MS = 1000;
const ERROR_MAX_LENGTH = 300;
/** How long a connection waits for the next attempt to the same receiver: less than servers usually wait. */
const IDLE_MS = 4000;

const KEEPING: http.AgentOptions = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 1000 };
/** An option of requests, by which the agents tell connections apart. */
const JUDGED = 'judgedAddresses';
/** How it shows, and how soon, that the other side had closed a connection. */
const STALE_WITHIN_MS = 1000;
const CLOSED = new Set<string | undefined>(['ECONNRESET', 'EPIPE']);

interface Exchange {
  target: URL;
  headers: Record<string, string>;
  body: Buffer;
  /** When the attempt began, on the clock of `performance.now()`. */
  startedAt: number;
  /** Where the host was found; undefined when it needs no judgement. */
  addresses: LookupAddress[] | undefined;
  agent: http.Agent | false;
}

interface Exchanged extends Omit<Answer, 'durationMs'> {
  /** It failed for a connection that was used again, and says nothing about the receiver. */
  isStale: boolean;
}

/** We gave a request up; the message says why. */
class GivenUp extends Error {
  override name = 'GivenUp';
}

/** Posts to receivers, wherever they are and however they behave, and follows them nowhere. */
export class Sending {
  private readonly agents = { 'http:': keeping(new http.Agent(KEEPING)), 'https:': keeping(new https.Agent(KEEPING)) };

  constructor(private readonly options: SendingOptions) {}

  /** Resolves for whatever a receiver does. */
  async post({ url, headers, body }: Posting): Promise<Answer> {
    const startedAt = performance.now();
    const answered = ({ statusCode = null, error, answer = null }: Partial<Exchanged>): Answer => {
      return { statusCode, error: error ?? null, durationMs: Math.round(performance.now() - startedAt), answer };
    };
    // Node looks literal addresses up nowhere, and what is allowed may have changed since the task was created.
    const problem = webhookUrlProblem(url, this.options.allowed);
    if (problem) return answered({ error: `blocked address: ${problem}` });
    const target = new URL(url);
    try {
      const posting = { target, headers, body, startedAt, addresses: await this.addressesOf(target) };
      const first = await this.exchange({ ...posting, agent: this.agents[target.protocol as 'http:' | 'https:'] });
      // Whoever closes a connection that waits may do so in the very moment that we write to it.
      return answered(first.isStale ? await this.exchange({ ...posting, agent: false }) : first);
    } catch (error) {
      if (error instanceof LookupFailed) return answered({ error: error.message });
      throw error;
    }
  }

  /** What the host's name says right now; nothing for literal addresses and for what the operator allows. */
  private async addressesOf(target: URL): Promise<LookupAddress[] | undefined> {
    const { hostname } = target;
    if (this.options.allowed.has(target) || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
    return this.options.lookup(hostname);
  }

  private exchange(exchange: Exchange): Promise<Exchanged> {
    return new Promise((resolve) => {
      let statusCode: number | null = null;
      let kept: Buffer[] = [];
      let failure = 'the connection was closed without an answer';
      let isStale = false;
      const openedAt = performance.now();
      const finish = () => {
        const error = statusCode === null ? failure : problemOf(statusCode);
        resolve({ statusCode, error, answer: kept.length > 0 ? Buffer.concat(kept) : null, isStale });
      };
      const request = this.open(exchange);
      request.on('error', (error: NodeJS.ErrnoException) => {
        failure = printable(wordsFor(error, request));
        isStale = request.reusedSocket && statusCode === null && CLOSED.has(error.code) && performance.now() - openedAt < STALE_WITHIN_MS;
      });
      request.on('close', finish);
      request.on('response', (response) => {
        statusCode = response.statusCode ?? 0;
        kept = read(response, request);
        if (problemOf(statusCode) !== null) return;
        // A 2xx acknowledges at once: what its body does afterwards can't undo that.
        finish();
        const lingering = setTimeout(() => request.destroy(), LINGER_MS).unref();
        request.on('close', () => clearTimeout(lingering));
      });
      request.end(exchange.body);
    });
  }

  private open({ target, headers, body, startedAt, addresses, agent }: Exchange): ClientRequest {
    const { connectMs = CONNECT_MS, totalMs = TOTAL_MS } = this.options;
    const isTls = target.protocol === 'https:';
    const request = (isTls ? https : http).request(target, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': String(body.length) },
      agent,
      rejectUnauthorized: true,
      ...(addresses
        ? {
            lookup: lookupOf(addresses),
            [JUDGED]: addresses
              .map(({ address }) => address)
              .sort()
              .join(),
          }
        : {}),
    });
    const giveUpAfter = (ms: number, what: string) => {
      const left = Math.max(0, startedAt + ms - performance.now());
      return setTimeout(() => request.destroy(new GivenUp(`timeout: ${what} within ${ms / 1000} s`)), left);
    };
    const connecting = giveUpAfter(connectMs, 'no connection');
    const answering = giveUpAfter(totalMs, 'no answer');
    request.on('socket', (socket) => {
      if (request.reusedSocket) clearTimeout(connecting);
      else socket.once(isTls ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
    });
    request.on('close', () => [connecting, answering].forEach(clearTimeout));
    return request;
  }
}

/**
 * Makes an agent keep connections for the next attempt to the same host, if that is found at the same addresses: so the
 * address is found and judged at each attempt, whether it opens a connection or not (decision R9).
 */
function keeping<Agent extends http.Agent>(agent: Agent): Agent {
  const nameOf = agent.getName.bind(agent);
  agent.getName = (options) => `${nameOf(options)} ${(options as { [JUDGED]?: string } | undefined)?.[JUDGED] ?? ''}`;
  return agent;
}

/** Answers with addresses that were found before, in the form that is asked for. */
function lookupOf(addresses: LookupAddress[]): LookupFunction {
  const [first] = addresses as [LookupAddress];
  // Without `all`, as when a family is asked for, exactly one address is expected.
  return (_hostname, options, callback) => (options.all ? callback(null, addresses) : callback(null, first.address, first.family));
}

/** Reads an answer up to its limit, and keeps the beginning. */
function read(response: IncomingMessage, request: ClientRequest): Buffer[] {
  const kept: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    if (bytes < KEPT_MAX_BYTES) kept.push(Buffer.from(chunk.subarray(0, KEPT_MAX_BYTES - bytes)));
    bytes += chunk.length;
    if (bytes >= READ_MAX_BYTES) request.destroy();
  });
  // The status counts, whether the body came whole or not.
  response.on('error', () => undefined);
  return kept;
}

function problemOf(statusCode: number): string | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  return statusCode >= 300 && statusCode < 400 ? `redirect: the receiver answered ${statusCode}, which is not followed` : `the receiver answered ${statusCode}`;
}

function wordsFor(error: NodeJS.ErrnoException, { socket }: ClientRequest): string {
  if (error instanceof GivenUp) return error.message;
  const { code = error.message } = error;
  if (error.syscall === 'getaddrinfo') return `DNS: the host can not be looked up (${code})`;
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (error.syscall === 'connect') return `no connection (${code})`;
  if (socket instanceof TLSSocket && !socket.authorized) return `TLS: ${(error as { reason?: string }).reason ?? error.message}`;
  if (code.startsWith('HPE_')) return `the answer is no HTTP (${code})`;
  return code === 'ECONNRESET' ? 'the connection was broken off' : `the request failed (${code})`;
}

/** A receiver's certificate may say anything, and PostgreSQL does not store everything. */
const printable = (text: string): string => text.slice(0, ERROR_MAX_LENGTH).replace(/[\p{Cc}\p{Cs}]/gu, ' ');
