import assert from 'node:assert';
import * as z from 'zod';
import type { Attempt } from '../engine.js';
import { postJson, type ArrivingText } from './http.js';

/** The setting `<PROVIDER>_CAPTURE_URL`. */
export const captureUrl = (label: string) =>
  z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(`Address of a service of your own that asks ${label}'s web app and answers with what it sent, unchanged (libs/providers/src/formats/capture.ts)`);

interface CaptureCall<Request> {
  /** The provider's identifier, such as `PERPLEXITY`. */
  provider: string;
  /** What `<PROVIDER>_CAPTURE_URL` holds; not needed by way of the sandbox. */
  url: string | undefined;
  attempt: Attempt<Request>;
}

/** Where the API answers whenever it can, as it can in the sandbox: whether a capture has to (decisions, Which upstream answers). */
export const mustCapture = ({ route }: Attempt<unknown>, { hasApi, url }: { hasApi: boolean; url: string | undefined }): boolean =>
  route === 'live' && !hasApi && url !== undefined;

/**
 * Asks an operator's own capture service, or its stand-in, for what a web app shows to a request.
 *
 * It gets `POST <url>` with the JSON `{ "provider": "PERPLEXITY", "request": { "prompt", "country", "include", … } }`, where
 * `request` is the provider's request of interface.md after validation, defaults filled in. It answers 200 with the
 * app's raw event stream or page, unchanged. Any other status is a failure: 401 or 403 rejected credentials, 429 a rate
 * limit with `Retry-After`, 5xx an outage; a web page with one of these is a challenge that blocks us.
 */
export async function askCapture<Request>({ provider, url, attempt }: CaptureCall<Request>): Promise<ArrivingText> {
  const address = attempt.route === 'sandbox' ? attempt.sandboxUrl && `${attempt.sandboxUrl.replace(/\/+$/, '')}/capture` : url;
  assert(address, 'an attempt by capture has an address');
  return postJson({
    url: address,
    headers: { accept: 'text/event-stream, application/json, text/html' },
    body: { provider, request: attempt.request },
    signal: attempt.signal,
  });
}
