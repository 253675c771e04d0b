// `npm run audit`: holds every package of the lockfile against the registry's advisories. Status 0: none applies; 1: some do; 2: nobody could be asked.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './lib/command.mjs';
import { root } from './lib/workspace.mjs';

const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const packages = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8').match(/^ {4}resolution: \{.*$/gm) ?? [];
const unsealed = packages.filter((line) => !line.includes('integrity: sha512-'));
console.log(`${packages.length} packages in the lockfile, ${unsealed.length} of them without a SHA-512 of what is installed`);

const answer = await run('npx', ['-y', packageManager, 'audit'], { cwd: root, env: { ...process.env, CI: '1' } }).then(
  ({ stdout }) => ({ failed: false, text: stdout }),
  (error) => ({ failed: true, text: String(error.output ?? error.message) }),
);
console.log(answer.text.trim());
if (answer.failed && !/vulnerabilit(y|ies) found/.test(answer.text)) {
  console.log('\nThe registry offers no advisories or can not be reached: nothing has been judged.');
  process.exitCode = 2;
} else if (answer.failed || unsealed.length > 0) process.exitCode = 1;
