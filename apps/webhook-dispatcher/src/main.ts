import '@overheard/runtime/tracing';
import 'reflect-metadata';

// Loaded only now, since tracing has to be there first.
const [{ boot }, { webhookDispatcher }] = await Promise.all([import('@overheard/runtime'), import('./webhook-dispatcher.js')]);

await boot(webhookDispatcher);
