import importX from 'eslint-plugin-import-x';
import n from 'eslint-plugin-n';
import tseslint from 'typescript-eslint';

/** Where the environment is read: everything else is given what it needs. */
const READS_ENVIRONMENT = [
  'apps/*/src/config.ts',
  'libs/runtime/src/**',
  'libs/testing/**',
  'scripts/**',
  'test/**',
  'docs/**',
  'bench/**',
  '**/*.test.ts',
  'apps/*/test/**',
  'libs/*/test/**',
];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.local/**', 'coverage/**', '**/fixtures/**', 'apps/dashboard/web/**', '**/*.cjs'] },
  ...tseslint.configs.recommended,
  {
    plugins: { 'import-x': importX, n },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'object-shorthand': 'error',
      'no-console': 'error',
      'n/no-process-env': 'error',
      'import-x/order': ['error', { groups: ['builtin', 'external', ['parent', 'sibling', 'index']], 'newlines-between': 'never' }],
      'import-x/no-duplicates': ['error', { 'prefer-inline': false }],
      'import-x/no-default-export': 'error',
      // The registries hold contracts of different types, which only `any` can say.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none', ignoreRestSiblings: true }],
    },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    rules: { 'n/no-extraneous-import': ['error', { allowModules: ['@jest/globals'] }] },
  },
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
    },
  },
  { files: READS_ENVIRONMENT, rules: { 'n/no-process-env': 'off' } },
  // A command line prints.
  { files: ['scripts/**', '.ci/**', 'apps/cli/**', 'bench/**', 'docs/**'], rules: { 'no-console': 'off' } },
  { files: ['*.config.js', 'scripts/jest-reporter.mjs', '**/vite.config.ts'], rules: { 'import-x/no-default-export': 'off' } },
);
