// npm run fuzz [-- LINES [SEED]]: random command lines, judged by Holdfast and run by the real shells.
import { spawnSync } from 'node:child_process';
import { asScript } from './ensure.mjs';
import { inProject } from './setup/machine.mjs';

await asScript(async () => {
  const [lines = '500000', seed = String(1 + Math.floor(Math.random() * 2 ** 31))] =
    process.argv.slice(2);
  const vitest = inProject('node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--project', 'security', 'test/security/shell-fuzz.test.ts'],
    {
      cwd: inProject('.'),
      stdio: 'inherit',
      env: { ...process.env, HOLDFAST_TEST_FUZZ_LINES: lines, HOLDFAST_TEST_FUZZ_SEED: seed },
    },
  );
  process.exitCode = status ?? 1;
});
