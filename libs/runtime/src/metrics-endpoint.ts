import type { IncomingMessage, ServerResponse } from 'node:http';
import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { meter } from './telemetry.js';

/** Answers a Prometheus scrape. */
export type MetricsEndpoint = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts this process's metrics; whatever `meter()` made before or makes later ends up in the scrape. */
export function startMetrics(service: string): MetricsEndpoint {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  metrics.setGlobalMeterProvider(new MeterProvider({ resource: resourceFromAttributes({ 'service.name': service }), readers: [exporter] }));
  const runtime = meter('runtime');
  runtime
    .createObservableGauge('process_resident_memory_bytes', { description: 'Resident memory' })
    .addCallback((result) => result.observe(process.memoryUsage.rss()));
  runtime
    .createObservableGauge('process_uptime_seconds', { description: 'Time since the process started' })
    .addCallback((result) => result.observe(process.uptime()));
  return (request, response) => exporter.getMetricsRequestHandler(request, response);
}
