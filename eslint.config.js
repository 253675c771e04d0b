import importX from 'eslint-plugin-import-x';
import n from 'eslint-plugin-n';
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** Where the environment is read: everything else is given what it needs. */
const READS_ENVIRONMENT = [
  '.ci/**',
  'apps/*/src/config.ts',
  'libs/runtime/src/**',
  'libs/testing/**',
  'scripts/**',
  'test/**',
  'docs/**',
  'bench/**',
  '*.config.js',
  '**/vite.config.ts',
  '**/*.test.ts',
  'apps/*/test/**',
  'libs/*/test/**',
];

/** The dashboard's pages and how they are made: in the browser's types, not Node's. */
const PAGES = ['apps/dashboard/web/**/*.{ts,tsx}', 'apps/dashboard/vite.config.ts'];

const promises = {
  '@typescript-eslint/await-thenable': 'error',
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/only-throw-error': 'error',
  '@typescript-eslint/return-await': ['error', 'in-try-catch'],
};

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.local/**', 'coverage/**', '**/fixtures/**', 'apps/dashboard/web/public/**', '**/*.cjs'] },
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
    files: ['apps/**/*.{ts,tsx}', 'libs/**/*.ts'],
    rules: { 'n/no-extraneous-import': ['error', { allowModules: ['@jest/globals'] }] },
  },
  {
    files: ['**/*.ts'],
    ignores: PAGES,
    languageOptions: { parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname } },
    rules: promises,
  },
  {
    files: PAGES,
    plugins: { 'react-hooks': hooks },
    languageOptions: { parserOptions: { project: './apps/dashboard/web/tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: { ...promises, ...hooks.configs.recommended.rules },
  },
  { files: READS_ENVIRONMENT, rules: { 'n/no-process-env': 'off' } },
  // A command line prints.
  { files: ['scripts/**', '.ci/**', 'apps/cli/**', 'bench/**', 'docs/**'], rules: { 'no-console': 'off' } },
  { files: ['*.config.js', 'scripts/jest-reporter.mjs', '**/vite.config.ts'], rules: { 'import-x/no-default-export': 'off' } },
);
