import { createLogger, type Logger } from '@overheard/runtime';

/** A log that nobody reads. */
export const silentLogger = (): Logger => createLogger('test', 'silent');
