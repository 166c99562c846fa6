// Types and lint, side by side: they need about one core each.
import { inProject, run, say } from './machine.mjs';

const programs = Object.freeze({
  types: [
    inProject('node_modules', 'typescript', 'bin', 'tsc'),
    '-p',
    'tsconfig.json',
    '--noEmit',
    '--pretty',
    'false',
  ],
  lint: [
    inProject('node_modules', 'eslint', 'bin', 'eslint.js'),
    '--cache',
    '--cache-location',
    inProject('node_modules', '.cache', 'eslint') + '/',
    '--no-warn-ignored',
    '.',
  ],
});

/** @returns {Promise<('types' | 'lint')[]>} the ones that failed, after printing what they found */
export const failedChecks = async () => {
  const names = /** @type {('types' | 'lint')[]} */ (Object.keys(programs));
  const results = await Promise.all(
    names.map(async (name) => {
      const startedMs = Date.now();
      const result = await run(process.execPath, programs[name]);
      const seconds = ((Date.now() - startedMs) / 1000).toFixed(0);
      if (result.code !== 0) say(`${result.output.trim()}\n`);
      say(`${name}: ${result.code === 0 ? 'clean' : 'FAILED'} (${seconds} s)`);
      return { name, ok: result.code === 0 };
    }),
  );
  return results.filter(({ ok }) => !ok).map(({ name }) => name);
};
