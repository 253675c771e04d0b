import { propagation, trace } from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, hostDetector, processDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { systemClock } from './clock.js';
import type { Logger } from './logger.js';

const FLUSH_WITHIN_MS = 2000;

/**
 * Sends the spans of this process (`spans.ts`) to a collector; sampler, batches, exporter and resource are as OpenTelemetry's
 * variables say; what it does not take is logged and lost. Gives what sends the last spans when the process ends.
 */
export function startTracing(service: string, logger: Logger): () => Promise<void> {
  setGlobalErrorHandler((error) => logger.warn({ err: error }, 'spans not sent'));
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': service }))
    .merge(detectResources({ detectors: [hostDetector, processDetector, envDetector] }));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
  trace.setGlobalTracerProvider(provider);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  // A collector that is away holds up no end.
  return () => Promise.race([provider.shutdown().catch(() => undefined), systemClock.sleep(FLUSH_WITHIN_MS)]);
}
