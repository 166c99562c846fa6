// npm run chaos [-- --minutes 10 --seed N]: three computers that share work, and everything that
// goes wrong. npm run chaos -- --cut 10: two of them without the store for this many minutes, and
// then with it again.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { asScript } from './ensure.mjs';
import { inProject } from './setup/machine.mjs';

await asScript(async () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string' },
      cut: { type: 'string' },
    },
  });
  /** @param {string} minutes */
  const seconds = (minutes) => String(Math.round(Number(minutes) * 60));
  if (values.cut !== undefined) {
    run(['--project', 'integration', 'test/integration/shared/takeover.test.ts', '-t', 'DW-12'], {
      HOLDFAST_TEST_CUT_SECONDS: seconds(values.cut),
    });
    return;
  }
  const seed = values.seed ?? String(1 + Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`seed ${seed}\n`);
  run(['--project', 'crash', 'test/crash/share-chaos.test.ts'], {
    HOLDFAST_TEST_CHAOS_SECONDS: seconds(values.minutes),
    HOLDFAST_TEST_CHAOS_SEED: seed,
  });
});

/**
 * @param {readonly string[]} what
 * @param {Readonly<Record<string, string>>} env
 */
function run(what, env) {
  const vitest = inProject('node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...what], {
    cwd: inProject('.'),
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  process.exitCode = status ?? 1;
}
