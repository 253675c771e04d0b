import '@overheard/runtime/tracing';
import 'reflect-metadata';

// Loaded only now, since tracing has to be there first.
const [{ boot }, { taskStore }] = await Promise.all([import('@overheard/runtime'), import('./task-store.js')]);

await boot(taskStore);
