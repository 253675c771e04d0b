import 'reflect-metadata';

// Only now: what a bundle imports in one go may run in any order.
const [{ boot }, { dashboard }] = await Promise.all([import('@overheard/runtime'), import('./dashboard.js')]);

await boot(dashboard);
