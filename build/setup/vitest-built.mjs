// Runs before suites that start built programs. `npm test` has built strictly by then; a run of one
// file during edits continues with the last build and prints a note.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { SetupStop, inProject, say } from './machine.mjs';
import { ensureNative } from './native.mjs';

export const setup = async () => {
  await ensureNative();
  for (const target of /** @type {const} */ (['app', 'test-hosts'])) {
    try {
      await ensureBuilt(target);
    } catch (error) {
      if (!(error instanceof SetupStop)) throw error;
      say(`${error.message}\nTesting the last build (${target}) instead.`);
    }
  }
  return copyProgram();
};

/**
 * The program for plain Node, copied once for the tests of this run
 * (`test/helpers/built-program.ts`): a concurrent build would replace files of a running child.
 * Inside the project, where its packages are found. Returns the function that removes it.
 */
const copyProgram = () => {
  if (process.env['HOLDFAST_TEST_PROGRAM'] !== undefined) return undefined;
  const copy = mkdtempSync(inProject('dist', 'test-copy-'));
  cpSync(inProject('dist', 'node'), copy, { recursive: true });
  process.env['HOLDFAST_TEST_PROGRAM'] = join(copy, 'holdfast.cjs');
  return () => {
    delete process.env['HOLDFAST_TEST_PROGRAM'];
    rmSync(copy, { recursive: true, force: true });
  };
};
