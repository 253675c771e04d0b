export * from './batcher.js';
export * from './boot.js';
export * from './clock.js';
export * from './config.js';
export * from './logger.js';
export * from './telemetry.js';
export * from './public-address.js';
