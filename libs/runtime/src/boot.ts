import type * as z from 'zod';
import { ConfigInvalid, readConfig, type ServiceConfig } from './config.js';
import { arm } from './failpoint.js';
import { serveHealth } from './health.js';
import { createLogger, type Logger } from './logger.js';

/** A service that has started. */
export interface Running {
  /** Resolves when its dependencies answer; rejects with what is wrong. */
  ready(): Promise<void>;
  /** Ends it gracefully: accept nothing new, finish what is under way. */
  stop(): Promise<void>;
}

export interface Service<Config extends ServiceConfig> {
  name: string;
  config: z.ZodType<Config>;
  start(context: { config: Config; logger: Logger }): Promise<Running>;
}

// Containers allow 35 s between SIGTERM and SIGKILL (deploy/), so a service that hangs still ends by itself.
const STOP_WITHIN_MS = 32_000;

/** The start and the end of every process: settings, log, metrics, health, signals. */
export async function boot<Config extends ServiceConfig>(service: Service<Config>): Promise<void> {
  const config = settingsOf(service);
  const logger = createLogger(service.name, config.LOG_LEVEL);
  arm(config.FAILPOINT);
  // Only services pay for loading the telemetry, commands do not.
  const { startMetrics } = await import('./metrics-endpoint.js');
  const metrics = startMetrics(service.name);
  const endTracing = isTraced(process.env) ? (await import('./tracing.js')).startTracing(service.name, logger) : undefined;
  let running: Running | undefined;
  let stopping = false;
  const ready = async () => {
    if (stopping) throw new Error('stopping');
    await running?.ready();
  };

  const stop = async (why: string) => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    logger.info({ why }, 'stopping');
    await running?.stop();
    await endTracing?.();
    logger.info('stopped');
    process.exit(0);
  };
  const fail = (error: unknown, what: string) => {
    logger.fatal({ err: error }, what);
    process.exit(1);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal).catch((error) => fail(error, 'could not stop')));
  if (config.PARENT_STDIN) process.stdin.resume().on('end', () => void stop('the supervisor is gone'));
  process.on('unhandledRejection', (error) => fail(error, 'unhandled rejection'));
  process.on('uncaughtException', (error) => fail(error, 'uncaught exception'));

  try {
    running = await service.start({ config, logger });
    // Only now: whoever sees that it is alive may send it work.
    await serveHealth({ host: config.HOST, port: config.HEALTH_PORT, ready, metrics });
    logger.info('ready');
  } catch (error) {
    fail(error, 'could not start');
  }
}

/** Whether a collector is named, by the variables that OpenTelemetry defines. */
const isTraced = ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_SDK_DISABLED: disabled }: NodeJS.ProcessEnv): boolean =>
  Boolean(collector) && disabled !== 'true';

function settingsOf<Config extends ServiceConfig>({ name, config }: Service<Config>): Config {
  try {
    return readConfig(config);
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    process.stderr.write(`${name}: the settings in the environment are wrong:\n${error.message}\n`);
    process.exit(1);
  }
}
