export * from './api.js';
export * from './verify-webhook.js';
export * from './webhook-errors.js';
