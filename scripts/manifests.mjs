// Holds the manifests for Kubernetes against the schemas of what they describe, and against their types, which know no other fields.
// With kubectl it is what kustomize makes of them that is held, patches included; without it, each document as it stands in its file.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { run } from './lib/command.mjs';
import { onPath } from './lib/packages.mjs';
import { localDir, root } from './lib/workspace.mjs';

/** @typedef {{ apiVersion: string, kind: string, metadata: { name: string } }} Resource */

const FOLDER = join(root, 'deploy', 'kubernetes');
const TYPES = join(localDir, 'manifests.ts');

const rendered = onPath('kubectl') ? documentsOf((await run('kubectl', ['kustomize', FOLDER])).stdout) : [...new Set(filesOf(FOLDER))].flatMap(documentsIn);
const resources = [...rendered, ...documentsIn(join(FOLDER, 'secrets.example.yaml'))];
for (const resource of resources) await validate(resource);
await checkTypes(resources);
console.log(`${resources.length} resources`);

/** The files of a kustomization and of all that it is made of. @param {string} folder @returns {string[]} */
function filesOf(folder) {
  const { resources = [], components = [] } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'));
  return [...resources, ...components].map((name) => join(folder, name)).flatMap((path) => (statSync(path).isDirectory() ? filesOf(path) : [path]));
}

/** @param {string} path */
function documentsIn(path) {
  return documentsOf(readFileSync(path, 'utf8'));
}

/** @param {string} text @returns {Resource[]} */
function documentsOf(text) {
  return parseAllDocuments(text, { strict: true }).map((document) => {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS();
  });
}

/** The module that has the schemas and types of an API version. @param {Resource} resource */
function moduleOf({ apiVersion }) {
  return apiVersion.startsWith('keda.sh/') ? `@kubernetes-models/keda/${apiVersion}` : `kubernetes-models/${apiVersion}`;
}

/** @param {Resource} resource */
async function validate(resource) {
  const { kind, metadata } = resource;
  const { [kind]: Model } = await import(moduleOf(resource));
  try {
    new Model(resource).validate();
  } catch (error) {
    throw new Error(`${kind} ${metadata.name}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** @param {Resource[]} resources */
async function checkTypes(resources) {
  const lines = resources.map((resource) => `(${JSON.stringify(resource)}) satisfies import('${moduleOf(resource)}').I${resource.kind};`);
  if (!existsSync(localDir)) mkdirSync(localDir, { mode: 0o700 });
  writeFileSync(TYPES, `${lines.join('\n')}\nexport {};\n`);
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  await run(process.execPath, ['node_modules/typescript7/bin/tsc', ...options, TYPES], { cwd: root });
}
