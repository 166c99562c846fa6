// Types decide what lint need not; lint decides what types cannot: floating promises, forgotten
// cases, the directions of imports (build/lint-layers.mjs) and sizes (build/lint-sizes.mjs).
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { layers } from './build/lint-layers.mjs';
import { sizes } from './build/lint-sizes.mjs';

const ours = ['electron/**/*.ts', 'shared/**/*.ts', 'renderer/**/*.{ts,tsx}'];
const tests = ['test/**/*.{ts,tsx}'];

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'node_modules/', 'build/default-app/'] },
  {
    files: [...ours, ...tests, 'vite.config.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'warn' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-shadow': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // A port is asynchronous although one of its adapters may not need to wait.
      '@typescript-eslint/require-await': 'off',
      // `() => void call()` reads worse than `() => call()`.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Data from disk and network is checked although its declared type says it cannot be so.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      // Rows and events are `unknown` where they are read; String() on them is meant.
      '@typescript-eslint/no-base-to-string': 'off',
      // Each of these costs more time than all others together; the first found only old spellings.
      '@typescript-eslint/no-deprecated': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'off',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'max-lines': ['warn', { max: 500, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ours,
    plugins: { sizes },
    rules: { 'sizes/function-lines': ['warn', { own: 60, whole: 250 }] },
  },
  {
    files: ['renderer/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': hooks },
    rules: { 'react-hooks/rules-of-hooks': 'error', 'react-hooks/exhaustive-deps': 'error' },
  },
  {
    // A component is one function; what it shows makes it long.
    files: ['renderer/**/*.tsx'],
    rules: { 'sizes/function-lines': ['warn', { own: 150, whole: 250 }] },
  },
  ...layers,
  {
    // Tests hold wrong data on purpose and know more than the types do.
    files: tests,
    rules: {
      '@typescript-eslint/no-misused-promises': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      '@typescript-eslint/no-unnecessary-type-conversion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
    },
  },
  {
    files: ['build/**/*.mjs', 'test/**/*.mjs', 'eslint.config.js'],
    extends: [tseslint.configs.base],
    rules: { eqeqeq: 'error', 'prefer-const': 'error', 'no-var': 'error' },
  },
);
