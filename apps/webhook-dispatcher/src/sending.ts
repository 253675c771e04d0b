import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
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
  /** Finds the addresses of hosts that are not expressly allowed. */
  lookup: LookupFunction;
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

/** We gave a request up; the message says why. */
class GivenUp extends Error {
  override name = 'GivenUp';
}

/** Posts to receivers, wherever they are and however they behave, and follows them nowhere. */
export class Sending {
  constructor(private readonly options: SendingOptions) {}

  /** Resolves for whatever a receiver does. */
  post({ url, headers, body }: Posting): Promise<Answer> {
    const startedAt = performance.now();
    const durationMs = () => Math.round(performance.now() - startedAt);
    // Node looks literal addresses up nowhere, and what is allowed may have changed since the task was created.
    const problem = webhookUrlProblem(url, this.options.allowed);
    if (problem) return Promise.resolve({ statusCode: null, error: `blocked address: ${problem}`, durationMs: durationMs(), answer: null });

    return new Promise((resolve) => {
      let statusCode: number | null = null;
      let kept: Buffer[] = [];
      let failure = 'the connection was closed without an answer';
      const finish = () => {
        const error = statusCode === null ? failure : problemOf(statusCode);
        resolve({ statusCode, error, durationMs: durationMs(), answer: kept.length > 0 ? Buffer.concat(kept) : null });
      };
      const request = this.open(new URL(url), { ...headers, 'Content-Length': String(body.length) });
      request.on('error', (error) => (failure = printable(wordsFor(error, request))));
      request.on('close', finish);
      request.on('response', (response) => {
        statusCode = response.statusCode ?? 0;
        kept = read(response, request);
        if (problemOf(statusCode) !== null) return;
        // A 2xx acknowledges at once: what its body does afterwards can't undo that.
        finish();
        setTimeout(() => request.destroy(), LINGER_MS).unref();
      });
      request.end(body);
    });
  }

  /** A connection of its own for each attempt, so that the address is found and judged each time. */
  private open(url: URL, headers: Record<string, string>): ClientRequest {
    const { allowed, lookup, connectMs = CONNECT_MS, totalMs = TOTAL_MS } = this.options;
    const isTls = url.protocol === 'https:';
    const request = (isTls ? https : http).request(url, {
      method: 'POST',
      headers,
      agent: false,
      rejectUnauthorized: true,
      ...(allowed.has(url) ? {} : { lookup }),
    });
    // Tracing, where it is on, adds headers of its own, which are nothing for strangers (decision W8).
    const ours = new Set(['host', ...Object.keys(headers).map((name) => name.toLowerCase())]);
    for (const name of request.getHeaderNames()) if (!ours.has(name)) request.removeHeader(name);
    const giveUpAfter = (ms: number, what: string) => setTimeout(() => request.destroy(new GivenUp(`timeout: ${what} within ${ms / 1000} s`)), ms);
    const connecting = giveUpAfter(connectMs, 'no connection');
    const answering = giveUpAfter(totalMs, 'no answer');
    request.on('socket', (socket) => socket.once(isTls ? 'secureConnect' : 'connect', () => clearTimeout(connecting)));
    request.on('close', () => [connecting, answering].forEach(clearTimeout));
    return request;
  }
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
  if (error instanceof GivenUp || error instanceof LookupFailed) return error.message;
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
