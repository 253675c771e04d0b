import { createRequire, syncBuiltinESMExports } from 'node:module';

// The first import of every service: what is to be traced has to be watched before anybody loads it. Where no collector is
// named (OTEL_EXPORTER_OTLP_ENDPOINT, as OpenTelemetry defines it) nothing is loaded and nothing traced.
if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) await startTracing();

async function startTracing(): Promise<void> {
  const [{ NodeSDK }, { OTLPTraceExporter }, { HttpInstrumentation }, { PgInstrumentation }, { RedisInstrumentation }, { UndiciInstrumentation }] =
    await Promise.all([
      import('@opentelemetry/sdk-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/instrumentation-http'),
      import('@opentelemetry/instrumentation-pg'),
      import('@opentelemetry/instrumentation-redis'),
      import('@opentelemetry/instrumentation-undici'),
    ]);
  const isHealthCheck = ({ url = '' }: { url?: string | undefined }) => /^\/(healthz|readyz|metrics)$/.test(url);
  const sdk = new NodeSDK({
    serviceName: process.env['OTEL_SERVICE_NAME'] ?? process.argv[1]?.split('/').at(-3) ?? 'overheard',
    traceExporter: new OTLPTraceExporter(),
    // Metrics have their own endpoint (metrics-endpoint.ts).
    metricReaders: [],
    instrumentations: [
      new HttpInstrumentation({ ignoreIncomingRequestHook: isHealthCheck }),
      new UndiciInstrumentation(),
      new PgInstrumentation({ requireParentSpan: true }),
      new RedisInstrumentation({ requireParentSpan: true, dbStatementSerializer: (command) => command }),
    ],
  });
  sdk.start();
  // Node's own modules are watched from their first `require` on, which an ES module never makes.
  const require = createRequire(import.meta.url);
  for (const name of ['node:http', 'node:https']) require(name);
  syncBuiltinESMExports();
  process.once('beforeExit', () => void sdk.shutdown());
}
