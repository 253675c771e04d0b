// `npm run admin` and `npm run extract`: the command line of apps/cli, installed and built first where that is due.
import { pathToFileURL } from 'node:url';
import { progressOn } from './lib/progress.mjs';
import { programPath } from './lib/programs.mjs';
import { build, install, root } from './lib/workspace.mjs';

// Standard output belongs to the command alone.
const progress = progressOn(process.stderr);
const program = programPath(root, 'cli');

try {
  await install(progress);
  await build(progress);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
// In this process, because a second one would double the time that a short command takes; it sees the arguments as if run by itself.
process.argv[1] = program;
await import(pathToFileURL(program).href);
