import 'reflect-metadata';

// Only now: what a bundle imports in one go may run in any order.
const [{ boot }, { webhookDispatcher }] = await Promise.all([import('@overheard/runtime'), import('./webhook-dispatcher.js')]);

await boot(webhookDispatcher);
