import '@overheard/runtime/tracing';
import 'reflect-metadata';

// Loaded only now, since tracing has to be there first.
const [{ boot }, { worker }] = await Promise.all([import('@overheard/runtime'), import('./worker.js')]);

await boot(worker);
