/** What Electron is started with from a checkout, asked as an ordinary account would ask. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AS_ORDINARY, NO_ORDINARY } from '../../helpers/ordinary-account';

const SANDBOX = path.resolve('build/setup/sandbox.mjs');
/** In a space of its own the limit concerns nobody else: the account of the test is the last one in it. */
const WITHOUT_NAMESPACES = [
  ...['unshare', '-U', '--map-root-user', 'sh', '-c'],
  'echo 1 > /proc/sys/user/max_user_namespaces; exec "$@"',
  'sh',
];

function switchesAs(account: readonly string[]): unknown {
  const script = `import(${JSON.stringify(SANDBOX)}).then(({ sandboxSwitches }) =>
    process.stdout.write(JSON.stringify(sandboxSwitches('/opt/none/electron'))))`;
  const [program, ...args] = [...account, process.execPath, '-e', script];
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: process.env });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const canRun = ([program = '', ...args]: readonly string[]): boolean =>
  spawnSync(program, [...args, 'true'], { stdio: 'ignore' }).status === 0;
const ORDINARY = ['unshare', '-U', '--map-user=1000', '--map-group=1000'];

describe.skipIf(process.platform !== 'linux' || NO_ORDINARY !== undefined)(
  'set-up Electron from a checkout',
  () => {
    it.skipIf(!canRun([...WITHOUT_NAMESPACES, ...ORDINARY]))(
      'has its sandbox off for an account that the kernel gives no user namespace',
      () => {
        const kept = [...WITHOUT_NAMESPACES, ...ORDINARY];
        expect(canRun([...kept, 'unshare', '--map-root-user'])).toBe(false);
        expect(switchesAs(kept)).toEqual(['--no-sandbox']);
      },
    );

    it('has it off for root, and on for an ordinary account where the system allows it', () => {
      if (process.getuid?.() === 0) expect(switchesAs([])).toEqual(['--no-sandbox']);
      const isAllowed = canRun([...AS_ORDINARY, 'unshare', '--map-root-user']);
      expect(switchesAs(AS_ORDINARY)).toEqual(isAllowed ? [] : ['--no-sandbox']);
    });
  },
);
