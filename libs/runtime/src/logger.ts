import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, pino, type Logger } from 'pino';

export type { Logger } from 'pino';

// Whatever a mistake puts into a log line, a key or a secret is not read there.
const SECRETS = /sk_(live|test)_[A-Za-z0-9_-]{8,}|whsec_[A-Za-z0-9+/=]{8,}/g;
const hide = (text: string): string => text.replace(SECRETS, (secret) => `${secret.slice(0, secret.indexOf('_', 3) + 1)}…`);

/** Writes the lines of one turn of the event loop together: under load a system call costs more than a line. */
function standardOutput(): DestinationStream & { flushSync(): void } {
  const destination = pino.destination({ dest: 1, sync: true });
  let lines = '';
  const flush = () => {
    process.off('exit', flush);
    if (lines === '') return;
    const written = lines;
    lines = '';
    destination.write(written);
  };
  return {
    write(line) {
      if (lines === '') {
        setImmediate(flush);
        process.once('exit', flush);
      }
      lines += line;
    },
    // After what is fatal.
    flushSync: flush,
  };
}

/** The process's log: JSON lines on standard output, one a unit of work. */
export function createLogger(service: string, level: string): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: hide },
    },
    standardOutput(),
  );
}

/** Nest's own messages, in the same log. Its start-up chatter is worth reading only when debugging. */
export function nestLogger(logger: Logger): LoggerService {
  const text = (message: unknown): string => (message instanceof Error ? (message.stack ?? message.message) : String(message));
  return {
    log: (message, context) => logger.debug({ context }, text(message)),
    debug: (message, context) => logger.debug({ context }, text(message)),
    verbose: (message, context) => logger.debug({ context }, text(message)),
    warn: (message, context) => logger.warn({ context }, text(message)),
    error: (message, ...rest) => logger.error({ context: rest.at(-1) }, text(message)),
  };
}
