// Runs before suites that start built programs. `npm test` has built strictly by then; a run of
// one file while someone edits another goes on with the last build and says so.
import { ensureBuilt } from './build.mjs';
import { SetupStop, say } from './machine.mjs';
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
};
