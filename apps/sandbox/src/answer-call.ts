import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SandboxCall, Steer } from '@overheard/providers/sandboxes';
import { systemClock } from '@overheard/runtime';
import { readBody } from './body.js';
import type { CallLog } from './call-log.js';
import type { Mount } from './mounts.js';
import { hangUpOf, send, sendJson } from './send.js';

const BODY_BYTES_MAX = 16 * 1024 * 1024;

interface Arrival extends Mount {
  /** Path and query inside the mount. */
  url: string;
  log: CallLog;
  steer: Steer;
}

/** One upstream call: noted as soon as it is understood, held up as its prompt asks, then answered by the stand-in. */
export async function answerCall(
  { provider, sandbox, url, log, steer }: Arrival,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const signal = hangUpOf(response);
  const body = await readBody(request, BODY_BYTES_MAX);
  const call: SandboxCall = { method: request.method ?? 'GET', url, headers: request.headers, body, signal };
  const note = sandbox.note(call);
  if (!note) return sendJson(response, 404, { error: `${call.method} ${call.url} is no route of this upstream.` });

  const steering = steer.next(provider, note.prompt);
  const entry = log.open(provider, note, steering);
  await systemClock.sleep(steering.delayMs, signal);
  if (signal.aborted) return;
  const reply = await sandbox.answer(call, note, steering);
  if (signal.aborted) return;
  entry.status = reply.status;
  await send(response, reply, signal);
}
