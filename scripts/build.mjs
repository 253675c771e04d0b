// Installs and builds this checkout, for the container image (deploy/Dockerfile); every other command does it by itself.
import { progressOn } from './lib/progress.mjs';
import { build, install } from './lib/workspace.mjs';

const progress = progressOn(process.stdout);
await install(progress);
await build(progress);
