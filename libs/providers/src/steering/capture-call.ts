import * as z from 'zod';
import type { SandboxCall, SandboxReply } from '../sandbox.js';
import type { Fault, Steering } from './steering.js';

// The stand-in of an operator's own capture service (formats/capture.ts): what it is asked, and how it fails. Only its answers are a provider's own.

const captureCall = z.object({
  provider: z.string(),
  request: z.looseObject({ prompt: z.string(), country: z.string(), include: z.record(z.string(), z.unknown()).default({}) }),
});
export type CaptureRequest = z.infer<typeof captureCall>['request'];

export const isCapture = ({ method, url }: SandboxCall): boolean => method === 'POST' && new URL(url, 'http://sandbox').pathname === '/capture';

/** What a capture service is asked; undefined when the body is no request. */
export function captureRequestOf({ body }: SandboxCall): CaptureRequest | undefined {
  try {
    return captureCall.safeParse(JSON.parse(body)).data?.request;
  } catch {
    return undefined;
  }
}

export const badCapture = (): SandboxReply => refusal(400, 'invalid_request', 'The body is no request of a known form.');

/** What each fault looks like. A failing service answers 503 and 500 in turn. */
export const captureFault = (steering: Steering & { fault: Fault }): SandboxReply => FAULTS[steering.fault](steering);

const FAULTS: Record<Fault, (steering: Steering) => SandboxReply> = {
  fail: ({ attempt }) => (attempt % 2 ? refusal(503, 'unavailable', 'No browser is free.') : refusal(500, 'internal', 'The browser crashed.')),
  ratelimit: () => refusal(429, 'rate_limited', 'The site asks for fewer questions.', { 'retry-after-ms': '50' }),
  blocked: () => challengePage,
  badkey: () => refusal(401, 'signed_out', 'The session is signed out.'),
  quota: () => refusal(402, 'quota', 'The account has no searches left.'),
};

/** What a site shows to a browser that it does not trust. */
export const challengePage: SandboxReply = {
  status: 403,
  headers: { 'content-type': 'text/html; charset=UTF-8', 'cf-mitigated': 'challenge' },
  body: '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1><noscript>Enable JavaScript and cookies to continue</noscript></body></html>',
};

function refusal(status: number, code: string, message: string, headers: Record<string, string> = {}): SandboxReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ error: { code, message } }) };
}
