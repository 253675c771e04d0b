export * from './bus.js';
export * from './database.js';
export * from './environment.js';
export * from './logger.js';
export * from './until.js';
