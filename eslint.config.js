// The house: where the parts may import each other and what the pure ones may not touch
// (build/lint-layers.mjs), and how long a function, how wide its
// dependencies and an interface may be (build/lint-sizes.mjs). What is wrong by
// its types or in itself is decided in .oxlintrc.json.
import * as parser from '@typescript-eslint/parser';
import { layers } from './build/lint-layers.mjs';
import { sizes } from './build/lint-sizes.mjs';

const ours = ['electron/**/*.ts', 'shared/**/*.ts', 'renderer/**/*.{ts,tsx}'];

/** @type {import('eslint').Linter.Config[]} */
export default [
  { ignores: ['build/', 'dist/', 'out/', 'test/', '*.*'] },
  {
    files: ours,
    languageOptions: { parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    linterOptions: { reportUnusedDisableDirectives: 'warn' },
    plugins: { sizes },
    rules: {
      'sizes/function-lines': ['error', { own: 60, whole: 250 }],
      'sizes/dependency-fields': ['error', { most: 12 }],
      'sizes/interface-methods': ['error', { most: 20 }],
    },
  },
  {
    // A component is one function; what it shows makes it long.
    files: ['renderer/**/*.tsx'],
    rules: { 'sizes/function-lines': ['error', { own: 150, whole: 250 }] },
  },
  ...layers,
];
