import 'reflect-metadata';

// Only now: what a bundle imports in one go may run in any order.
const [{ boot }, { taskStore }] = await Promise.all([import('@overheard/runtime'), import('./task-store.js')]);

await boot(taskStore);
