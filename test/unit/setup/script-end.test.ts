import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const ensure = pathToFileURL('build/ensure.mjs').href;
const machine = pathToFileURL('build/setup/machine.mjs').href;

const endOf = (what: string): { readonly status: number | null; readonly stderr: string } =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { asScript } from '${ensure}'; import { SetupStop } from '${machine}';
       process.once('beforeExit', () => process.nextTick(() => process.exit(0)));
       await asScript(async () => { ${what} });`,
    ],
    { encoding: 'utf8' },
  );

it('a script that stops ends with 1 and its reason, whatever a library does at the end', () => {
  expect(endOf("throw new SetupStop('Install it.');")).toMatchObject({
    status: 1,
    stderr: 'Install it.\n',
  });
  expect(endOf('process.exitCode = 3;').status).toBe(3);
  expect(endOf('').status).toBe(0);
});
