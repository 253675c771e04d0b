import { createRequire, syncBuiltinESMExports } from 'node:module';
import { parse } from 'node:path';
import { trace } from '@opentelemetry/api';

// The first import of every service: what is to be traced has to be watched before anybody loads it. Where no collector is
// named (OTEL_EXPORTER_OTLP_ENDPOINT, as OpenTelemetry defines it) nothing is loaded and nothing traced.
if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) await startTracing();

async function startTracing(): Promise<void> {
  const [{ NodeSDK }, { OTLPTraceExporter }, { HttpInstrumentation }, { PgInstrumentation }, { UndiciInstrumentation }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/instrumentation-http'),
    import('@opentelemetry/instrumentation-pg'),
    import('@opentelemetry/instrumentation-undici'),
  ]);
  const isHealthCheck = ({ url = '' }: { url?: string | undefined }) => /^\/(healthz|readyz|metrics)$/.test(url);
  const sdk = new NodeSDK({
    serviceName: process.env['OTEL_SERVICE_NAME'] ?? parse(process.argv[1] ?? '').name,
    traceExporter: new OTLPTraceExporter(),
    // Metrics have their own endpoint (metrics-endpoint.ts).
    metricReaders: [],
    instrumentations: [
      new HttpInstrumentation({ ignoreIncomingRequestHook: isHealthCheck }),
      // It asks the socket for its addresses before it looks whether the trace is kept.
      new UndiciInstrumentation({ ignoreRequestHook: () => trace.getActiveSpan()?.isRecording() === false }),
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  sdk.start();
  // Node's own modules are watched from their first `require` on, which an ES module never makes.
  const require = createRequire(import.meta.url);
  for (const name of ['node:http', 'node:https']) require(name);
  syncBuiltinESMExports();
  process.once('beforeExit', () => void sdk.shutdown());
}
