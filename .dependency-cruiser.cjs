// The import rule of ARCHITECTURE.md: apps → { providers, bus, database, storage } → runtime → contracts → zod.
const tests = '(\\.test\\.ts$|/test/)';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Classes that import each other in a circle are undefined when Nest reads their constructors.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that resolves to nothing escapes every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'apps-not-to-apps',
      comment: 'An app is a process: apps talk over the bus and the database, not by import.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'libs-not-to-apps',
      comment: 'Imports only go down. libs/testing starts whole apps.',
      severity: 'error',
      from: { path: '^libs/', pathNot: '^libs/testing/' },
      to: { path: '^apps/' },
    },
    {
      name: 'siblings-apart',
      comment: 'Providers, bus, database and storage are put together by apps; none knows another.',
      severity: 'error',
      from: { path: '^libs/(providers|bus|database|storage)/', pathNot: tests },
      to: { path: '^libs/(providers|bus|database|storage)/', pathNot: '^libs/$1/' },
    },
    {
      name: 'runtime-to-contracts-only',
      comment: 'What every process does at start and end rests on the contracts alone.',
      severity: 'error',
      from: { path: '^libs/runtime/', pathNot: tests },
      to: { path: '^libs/', pathNot: '^libs/(runtime|contracts)/' },
    },
    {
      name: 'contracts-to-zod-only',
      comment: 'Contracts are loaded everywhere, also where there is no server, so they bring nothing along.',
      severity: 'error',
      from: { path: '^libs/contracts/', pathNot: tests },
      to: { pathNot: '^libs/contracts/|/zod/|^zod$' },
    },
    {
      name: 'client-stands-alone',
      comment: 'The client is for users: it depends on nothing of ours and nothing of others.',
      severity: 'error',
      from: { path: '^libs/client/src/', pathNot: tests },
      to: { pathNot: '^libs/client/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'providers-apart',
      comment:
        'A provider can be read, changed and removed alone; what several need lies in formats/, answer/, browser/ and steering/, which know no provider.',
      severity: 'error',
      from: { path: '^libs/providers/src/([^/]+)/' },
      to: { path: '^libs/providers/src/[^/]+/', pathNot: '^libs/providers/src/($1|formats|answer|browser|steering)/' },
    },
    {
      name: 'engines-for-worker-and-cli',
      comment: 'Engines bring browsers and parsers: only the worker and `extract` load them, the gateway never.',
      severity: 'error',
      from: { path: '^apps/', pathNot: `^apps/(worker|cli)/|${tests}` },
      to: { path: '^libs/providers/src/engines\\.ts$', reachable: true },
    },
    {
      name: 'sandboxes-for-the-sandbox',
      comment: 'The stand-in upstreams are part of no production process.',
      severity: 'error',
      from: { path: '^apps/', pathNot: `^apps/sandbox/|${tests}` },
      to: { path: '^libs/providers/src/sandboxes\\.ts$', reachable: true },
    },
    {
      name: 'testing-for-tests',
      comment: 'libs/testing is never shipped.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: `^libs/testing/|${tests}` },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'tests-are-no-source',
      comment: 'Nothing depends on a test.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: tests },
      to: { path: '\\.test\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules|/dist/' },
    exclude: { path: '(^|/)(dist|web)/' },
    tsConfig: { fileName: 'tsconfig.test.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
