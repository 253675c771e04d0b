import 'reflect-metadata';

// Only now: what a bundle imports in one go may run in any order.
const [{ boot }, { worker }] = await Promise.all([import('@overheard/runtime'), import('./worker.js')]);

await boot(worker);
