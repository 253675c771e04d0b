import 'reflect-metadata';
import { boot } from '@overheard/runtime';
import { taskStore } from './task-store.js';

await boot(taskStore);
