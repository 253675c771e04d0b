import '@overheard/runtime/tracing';
import 'reflect-metadata';

// Loaded only now, since tracing has to be there first.
const [{ boot }, { gateway }] = await Promise.all([import('@overheard/runtime'), import('./gateway.js')]);

await boot(gateway);
