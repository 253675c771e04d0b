import type { FastifyReply } from 'fastify';

/** Aborts when the connection closes before the answer is out; it may have closed before anybody asks. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  if (reply.raw.destroyed) return AbortSignal.abort();
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
