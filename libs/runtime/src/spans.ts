import { type Attributes, type Context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace as traces } from '@opentelemetry/api';

/**
 * Where something belongs in a trace. It is handed on from call to call: to have it follow every promise
 * (AsyncLocalStorage) takes a sixth of all requests a second on Node.js 20 (bench/README.md).
 */
export type Trace = Context;

/** What belongs nowhere begins a trace of its own. */
export const NO_TRACE: Trace = ROOT_CONTEXT;

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /** Where it belongs. */
  parent: Trace;
}

const tracer = traces.getTracer('overheard');

/** Does some work as a span of the trace it belongs to; the work hands on the trace that it is given. Without a collector this costs next to nothing. */
export async function inSpan<T>(name: string, options: SpanOptions, work: (trace: Trace, span: Span) => Promise<T>): Promise<T> {
  const { span, trace } = beginSpan(name, options);
  try {
    return await work(trace, span);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
    throw error;
  } finally {
    span.end();
  }
}

/** A span that something else ends, and the trace of what belongs to it. */
export function beginSpan(name: string, { kind = SpanKind.INTERNAL, attributes = {}, parent }: SpanOptions): { span: Span; trace: Trace } {
  const span = tracer.startSpan(name, { kind, attributes }, parent);
  return { span, trace: traces.setSpan(parent, span) };
}

/** A trace as it is told to others and kept for later: the headers of W3C Trace Context. None when nothing is traced. */
export function traceHeaders(trace: Trace): { traceparent?: string; tracestate?: string } {
  const headers = {};
  propagation.inject(trace, headers);
  return headers;
}

/** The trace that such headers, among others, tell of. */
export const traceIn = (headers: object): Trace => propagation.extract(NO_TRACE, headers);

export { type Span, SpanKind, SpanStatusCode };
