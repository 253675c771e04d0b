// Writes docs/configuration.md from the settings that the services really read; `--check` only tells whether it is up to date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/workspace.mjs';

const APPS = ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'dashboard', 'sandbox'];
const FILE = join(root, 'docs', 'configuration.md');

const text = await page();
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
  console.error('docs/configuration.md is not what the services read: run node scripts/configuration.mjs');
  process.exit(1);
}

async function page() {
  const services = await Promise.all(
    APPS.map(async (app) => {
      const { config } = await import(join(root, 'apps', app, 'dist', 'config.js'));
      /** @type {[string, { about: string, fallback: string }][]} */
      const settings = fieldsOf(config).map(([name, schema]) => [name, described(schema)]);
      return { app, settings };
    }),
  );
  const { contracts } = await import(join(root, 'libs/providers/dist/contracts.js'));
  const { loadEngine } = await import(join(root, 'libs/providers/dist/engines.js'));
  const upstreams = [];
  for (const { id, label } of contracts) {
    const engine = await loadEngine(id);
    if (engine) upstreams.push(`### ${label}\n\n${table(fieldsOf(engine.settings).map(([name, schema]) => [name, described(schema)]))}`);
  }
  const isCommon = (/** @type {string} */ name) => services.every(({ settings }) => settings.some(([one]) => one === name));
  const common = (services[0]?.settings ?? []).filter(([name]) => isCommon(name));
  const own = services.map(({ app, settings }) => ({ app, rows: settings.filter(([name]) => !isCommon(name)) }));
  return `# Configuration

Every setting is an environment variable. A service names all wrong ones together and does not start. An empty variable counts as
absent. Durations are written \`500ms\`, \`2s\`, \`4m\`, \`24h\`, \`30d\`. Under \`npm start\` the addresses, ports and the encryption key are set for you.

This page is made from the code: \`node scripts/configuration.mjs\`.

## Every service

${table(common)}

${own.map(({ app, rows }) => `## ${app}\n\n${table(rows)}`).join('\n\n')}

## Upstreams

Read by the worker that serves the provider.

${upstreams.join('\n\n')}
`;
}

/** The fields of an object schema, also of two that are joined. @param {any} schema @returns {[string, any][]} */
function fieldsOf(schema) {
  if (schema.shape) return Object.entries(schema.shape);
  if (schema.def.type === 'intersection') return [...fieldsOf(schema.def.left), ...fieldsOf(schema.def.right)];
  if (schema.def.type === 'pipe') return fieldsOf(schema.def.in);
  throw new Error(`settings of the kind ${schema.def.type} have no fields`);
}

/** @param {any} schema */
function described(schema) {
  let fallback = 'required';
  for (let inner = schema; inner; inner = inner.def.innerType ?? (inner.def.type === 'pipe' ? inner.def.in : undefined)) {
    const { type, defaultValue } = inner.def;
    if (type === 'default' || type === 'prefault') {
      fallback = defaultValue === '' ? 'none' : `\`${Array.isArray(defaultValue) ? defaultValue.join(',') : defaultValue}\``;
      break;
    }
    if (type === 'optional') fallback = 'none';
  }
  return { about: schema.description ?? '', fallback };
}

/** @param {[string, { about: string, fallback: string }][]} rows */
function table(rows) {
  const lines = rows.map(([name, { about, fallback }]) => `| \`${name}\` | ${fallback} | ${about.replaceAll('|', '\\|')} |`);
  return ['| variable | default | what it does |', '| --- | --- | --- |', ...lines].join('\n');
}
