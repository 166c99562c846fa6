// npm run check: types, lint and the unit tests.
import { spawnSync } from 'node:child_process';
import { asScript, ensureNative } from './ensure.mjs';
import { failedChecks } from './setup/checks.mjs';
import { inProject } from './setup/machine.mjs';

await asScript(async () => {
  await ensureNative();
  const failed = await failedChecks();
  const vitest = inProject('node_modules', 'vitest', 'vitest.mjs');
  const units = spawnSync(process.execPath, [vitest, 'run', '--project', 'unit'], {
    stdio: 'inherit',
  });
  process.exitCode = failed.length > 0 || units.status !== 0 ? 1 : 0;
});
