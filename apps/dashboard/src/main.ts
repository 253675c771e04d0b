import '@overheard/runtime/tracing';
import 'reflect-metadata';

// Loaded only now, since tracing has to be there first.
const [{ boot }, { dashboard }] = await Promise.all([import('@overheard/runtime'), import('./dashboard.js')]);

await boot(dashboard);
