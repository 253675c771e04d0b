import type { IncomingMessage, ServerResponse } from 'node:http';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { metrics, type Meter } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { meter } from './telemetry.js';

const LOOP_LOOK_MS = 100;

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
  runtime.createObservableCounter('process_cpu_seconds_total', { description: 'Processor time spent' }).addCallback((result) => {
    const { user, system } = process.cpuUsage();
    result.observe((user + system) / 1_000_000);
  });
  measureEventLoop(runtime);
  return (request, response) => exporter.getMetricsRequestHandler(request, response);
}

/** Since the last scrape: how busy the event loop was, and how late at most it came to what was due. */
function measureEventLoop(runtime: Meter): void {
  // A look costs little, and at this interval the process still sleeps when it has nothing to do.
  const delay = monitorEventLoopDelay({ resolution: LOOP_LOOK_MS });
  delay.enable();
  let before = performance.eventLoopUtilization();
  runtime.createObservableGauge('event_loop_utilization', { description: 'Share of the time in which the event loop was busy' }).addCallback((result) => {
    const now = performance.eventLoopUtilization();
    result.observe(performance.eventLoopUtilization(now, before).utilization);
    before = now;
  });
  runtime.createObservableGauge('event_loop_delay_seconds', { description: 'How late at most the event loop came to what was due' }).addCallback((result) => {
    // What it measures is the time between two looks.
    result.observe(Math.max(0, delay.max / 1e9 - LOOP_LOOK_MS / 1000));
    delay.reset();
  });
}
