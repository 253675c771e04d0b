// Writes docs/api/openapi.json from the contracts that the gateway validates with; `--check` tells whether it is up to date, and what a linter says of it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { root } from './lib/workspace.mjs';

const FILE = join(root, 'docs', 'api', 'openapi.json');

const { openapiDocument } = await import(join(root, 'apps/gateway/dist/openapi/document.js'));
const text = `${JSON.stringify(openapiDocument(), null, 2)}\n`;
const faults = await lint();
if (!process.argv.includes('--check')) {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, text);
} else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
  faults.push('docs/api/openapi.json is not what the gateway answers: run node scripts/openapi.mjs');
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

/** What Redocly's linter finds by its recommended rules, warnings too. */
async function lint() {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      // A page that needs no key and takes nothing has nothing to refuse.
      'operation-4xx-response': 'off',
      // A response names the codes beside its reference to the common form.
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    },
  });
  const problems = await lintFromString({ source: text, absoluteRef: FILE, config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location.map(({ pointer }) => pointer).join(', ')})`);
}
