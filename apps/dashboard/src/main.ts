import 'reflect-metadata';
import { boot } from '@overheard/runtime';
import { dashboard } from './dashboard.js';

await boot(dashboard);
