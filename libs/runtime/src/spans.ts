import { type Context, context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Record<string, string | number>;
  /** Where it belongs; by default to whatever is going on. */
  parent?: Context;
}

/** Does some work as a span of the trace it belongs to. Without a collector this costs next to nothing. */
export function inSpan<T>(
  name: string,
  { kind = SpanKind.INTERNAL, attributes = {}, parent = context.active() }: SpanOptions,
  work: () => Promise<T>,
): Promise<T> {
  return trace.getTracer('overheard').startActiveSpan(name, { kind, attributes }, parent, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The trace that is going on as a W3C `traceparent`, to be gone on with later; undefined when nothing is traced. */
export function traceparent(): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

/** Goes on with a stored trace; what is not stored begins one of its own. */
export const traceOf = (stored: string | null): Context => (stored === null ? context.active() : propagation.extract(ROOT_CONTEXT, { traceparent: stored }));

export { SpanKind };
