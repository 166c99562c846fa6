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

it('an option that a script does not have ends it with 1 and one line that names the option', () => {
  const { status, stderr } = endOf(
    `const { parseArgs } = await import('node:util'); parseArgs({ args: ['--fast'], options: {} });`,
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Unknown option '--fast'[^\n]*\n$/);
});
