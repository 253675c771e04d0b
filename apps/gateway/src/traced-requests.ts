import { beginSpan, SpanKind, SpanStatusCode, type Trace, traceIn } from '@overheard/runtime';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Where what is done for this request belongs. */
    trace: Trace;
  }
}

/** Makes each request a span, of its caller's trace if it names one. First of all hooks, so that refused requests are traced as well. */
export function traceRequests(server: FastifyInstance): void {
  server.decorateRequest('trace');
  server.addHook('onRequest', (request, reply, done) => {
    const { method, routeOptions, headers } = request;
    // Not the path itself: that of a stored page is the secret by which it is read.
    const attributes = { 'http.request.method': method, 'http.route': routeOptions.url };
    const { span, trace } = beginSpan(`${method} ${routeOptions.url ?? ''}`.trim(), { kind: SpanKind.SERVER, attributes, parent: traceIn(headers) });
    request.trace = trace;
    reply.raw.once('close', () => {
      // Without, its client has left before the answer.
      if (reply.raw.headersSent) span.setAttribute('http.response.status_code', reply.statusCode);
      if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    done();
  });
}
