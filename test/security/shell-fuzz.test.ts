/**
 * The judgement "known to be read-only" beside the real shells. `npm run fuzz` runs the same with
 * 500,000 lines.
 */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fuzz } from './shell-fuzz/fuzz';
import { Sandbox } from './shell-fuzz/sandbox';
import { isLeftOut } from '../helpers/skips';

const lines = Number(process.env['HOLDFAST_TEST_FUZZ_LINES'] ?? 8_000);
// The same lines each time: what the suite finds, it finds for everybody. The long run draws a seed.
const seed = Number(process.env['HOLDFAST_TEST_FUZZ_SEED'] ?? 1_954_639_916);
const isLong = process.env['HOLDFAST_TEST_FUZZ_LINES'] !== undefined;

const SHELLS = ['/bin/bash', '/bin/sh'].filter((path) => existsSync(path));
// The long run may take a night beside other work; it ends by itself.
const timeoutMs = Math.max(600_000, lines * 100);

describe.skipIf(
  isLeftOut('random command lines', SHELLS.length === 0 && 'there is neither bash nor sh'),
)('random command lines', () => {
  it.each([
    ['touch pwn', '/work/pwn'],
    ['echo x >>a', '/work/a'],
    ['PATH=1 ls; PATH=1; ls', '/pwn'],
    ['git status', '/pwn'],
    ['git -C sub/evil.git status', '/pwn'],
    ['chmod 600 a', '/work/a'],
    ['sleep 5 & exit', 'a process is left'],
  ])('S0-13 are watched: %j changes %s', async (line, change) => {
    const sandbox = new Sandbox();
    try {
      expect(await sandbox.changeOf('/bin/bash', 'ls; cat a; sort in')).toBeUndefined();
      expect(await sandbox.changeOf('/bin/bash', line)).toContain(change);
    } finally {
      sandbox.remove();
    }
  });

  it.each(SHELLS)(
    `S0-13 change nothing in %s where they are taken for read-only: ${String(lines)} lines, seed ${String(seed)}`,
    async (shell) => {
      const figures = await fuzz({ seed, lines, sandboxes: 2, shell });
      if (isLong) console.log(shell, { ...figures, changed: figures.changed.length });
      expect(figures.changed).toEqual([]);
      expect(figures.run).toBeGreaterThan(lines / 200);
    },
    timeoutMs,
  );
});
