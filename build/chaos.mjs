// npm run chaos [-- --minutes 10 --seed N]: three computers that share work, and everything that goes wrong.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { asScript } from './ensure.mjs';
import { inProject } from './setup/machine.mjs';

await asScript(async () => {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
  });
  const seed = values.seed ?? String(1 + Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`seed ${seed}\n`);
  const vitest = inProject('node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--project', 'crash', 'test/crash/share-chaos.test.ts'],
    {
      cwd: inProject('.'),
      stdio: 'inherit',
      env: {
        ...process.env,
        HOLDFAST_TEST_CHAOS_SECONDS: String(Math.round(Number(values.minutes) * 60)),
        HOLDFAST_TEST_CHAOS_SEED: seed,
      },
    },
  );
  process.exitCode = status ?? 1;
});
