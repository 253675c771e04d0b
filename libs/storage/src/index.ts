export * from './config.js';
export * from './html-storage.js';
