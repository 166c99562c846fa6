// Types (of the app, then of these scripts) and lint (oxlint, then ESLint), in parallel.
import { inProject, run, say } from './machine.mjs';

const tsc = inProject('node_modules', 'typescript', 'bin', 'tsc');
const oxlint = inProject('node_modules', 'oxlint', 'bin', 'oxlint');
const eslint = inProject('node_modules', 'eslint', 'bin', 'eslint.js');

const checks = Object.freeze({
  types: [
    [tsc, '-p', 'tsconfig.json', '--noEmit', '--pretty', 'false'],
    [tsc, '-p', 'build/tsconfig.json', '--pretty', 'false'],
  ],
  lint: [
    [oxlint, '--type-aware'],
    [eslint, '.'],
  ],
});

/**
 * @param {{ niceness?: number }} [options] `niceness`: how much they yield to other processes
 * @returns {Promise<('types' | 'lint')[]>} those that failed, after printing what they found
 */
export const failedChecks = async ({ niceness = 0 } = {}) => {
  const names = /** @type {('types' | 'lint')[]} */ (Object.keys(checks));
  const results = await Promise.all(
    names.map(async (name) => {
      const startedMs = Date.now();
      let ok = true;
      for (const args of checks[name]) {
        const { code, output } = await run(process.execPath, args, { niceness });
        if (code !== 0) say(`${output.trim()}\n`);
        ok &&= code === 0;
      }
      const seconds = ((Date.now() - startedMs) / 1000).toFixed(0);
      say(`${name}: ${ok ? 'clean' : 'FAILED'} (${seconds} s)`);
      return { name, ok };
    }),
  );
  return results.filter(({ ok }) => !ok).map(({ name }) => name);
};
