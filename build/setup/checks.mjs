// Types and lint (oxlint does both with one reading of the types: of the app, the tests and these scripts)
// next to our own rules (ESLint).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inProject, run, say } from './machine.mjs';

const oxlint = inProject('node_modules', 'oxlint', 'bin', 'oxlint');
const eslint = inProject('node_modules', 'eslint', 'bin', 'eslint.js');

/**
 * Each rule of ESLint looks at one file alone, so that what it found in a file that has not changed
 * still holds, as long as the rules are the same: ESLint itself does not look into ours.
 */
const foundBefore = () => {
  const rules = createHash('sha256');
  for (const name of ['eslint.config.js', 'build/lint-layers.mjs', 'build/lint-sizes.mjs'])
    rules.update(readFileSync(inProject(name)));
  const folder = inProject('node_modules', '.cache', 'holdfast');
  return `${folder}/eslint-${rules.digest('hex').slice(0, 12)}`;
};

const checks = () => ({
  'types and lint': [oxlint, '--type-aware', '--type-check'],
  'house rules': [
    eslint,
    ...['--cache', '--cache-strategy', 'content', '--cache-location', foundBefore()],
    '.',
  ],
});

/** The reader of types is written in Go: a fifth of its time went into making room that there is. */
const LESS_SWEEPING = { ...process.env, GOGC: '300' };

/**
 * @param {{ niceness?: number }} [options] `niceness`: how much they yield to other processes
 * @returns {Promise<string[]>} those that failed, after printing what they found
 */
export const failedChecks = async ({ niceness = 0 } = {}) => {
  const results = await Promise.all(
    Object.entries(checks()).map(async ([name, args]) => {
      const startedMs = Date.now();
      const { code, output } = await run(process.execPath, args, { niceness, env: LESS_SWEEPING });
      const ok = code === 0;
      if (!ok) say(`${output.trim()}\n`);
      const seconds = ((Date.now() - startedMs) / 1000).toFixed(0);
      say(`${name}: ${ok ? 'clean' : 'FAILED'} (${seconds} s)`);
      return { name, ok };
    }),
  );
  return results.filter(({ ok }) => !ok).map(({ name }) => name);
};
