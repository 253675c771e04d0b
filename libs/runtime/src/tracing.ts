import { propagation, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { systemClock } from './clock.js';

const FLUSH_WITHIN_MS = 2000;

/**
 * Sends the spans of this process (`spans.ts`) to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names; sampling, batches and
 * the rest are as OpenTelemetry's variables say. Gives what sends the last of them when the process ends.
 */
export function startTracing(service: string): () => Promise<void> {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': service }))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
  trace.setGlobalTracerProvider(provider);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  // A collector that is away holds up no end.
  return () => Promise.race([provider.shutdown().catch(() => undefined), systemClock.sleep(FLUSH_WITHIN_MS)]);
}
