import 'reflect-metadata';
import { boot } from '@overheard/runtime';
import { worker } from './worker.js';

await boot(worker);
