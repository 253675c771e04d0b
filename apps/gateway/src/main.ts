import 'reflect-metadata';

// Only now: what a bundle imports in one go may run in any order.
const [{ boot }, { gateway }] = await Promise.all([import('@overheard/runtime'), import('./gateway.js')]);

await boot(gateway);
