import 'reflect-metadata';
import { boot } from '@overheard/runtime';
import { gateway } from './gateway.js';

await boot(gateway);
