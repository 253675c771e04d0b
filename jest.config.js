// Run by scripts/test.mjs, which provides the servers. ESM needs NODE_OPTIONS=--experimental-vm-modules.
const swc = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    target: 'es2023',
    keepClassNames: true,
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

const project = (displayName, testMatch) => ({
  displayName,
  testMatch: testMatch.map((pattern) => `<rootDir>/${pattern}`),
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  // Tests run on the sources, so that a stale build can't pass.
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@overheard/(client|contracts|runtime|bus|database|storage|testing)$': '<rootDir>/libs/$1/src/index.ts',
    '^@overheard/database/nest$': '<rootDir>/libs/database/src/database.module.ts',
    '^@overheard/providers/(.*)$': '<rootDir>/libs/providers/src/$1.ts',
  },
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/\\.local/'],
});

/** What `npm test` has as well, some of it shorter. */
const IN_BOTH = ['crash', 'nats-lost', 'outages', 'hostile-input'].map((name) => `test/${name}.test.ts`).concat('libs/database/test/credits.property.test.ts');

export default {
  maxWorkers: 2,
  // Tests wait for conditions and say what they waited for; on a busy machine that may take a while.
  testTimeout: 60_000,
  reporters: ['default', '<rootDir>/scripts/jest-reporter.mjs'],
  projects: [
    project('unit', ['libs/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts']),
    project('service', ['apps/*/test/**/*.test.ts', 'libs/*/test/**/*.test.ts']),
    project('system', ['test/*.test.ts', 'test/dashboard/*.test.ts']),
    // Only `npm run chaos` has it: what npm test has no time for, and what it does in short.
    ...(process.env.CHAOS ? [project('chaos', ['test/chaos/*.test.ts', ...IN_BOTH])] : []),
  ],
};
