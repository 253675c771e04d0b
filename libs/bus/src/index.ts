export * from './bus.js';
export * from './bus.module.js';
export * from './config.js';
export * from './consumer-reader.js';
export * from './consumes.js';
export * from './jetstream.strategy.js';
export * from './lane-reader.js';
export * from './topology.js';
