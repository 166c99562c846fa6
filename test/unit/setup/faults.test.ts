import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const PLANTED = `
export const decide = (state: 'open' | 'closed', given: unknown): number => {
  const ask = async (): Promise<number> => 1;
  ask();
  [1].forEach(async () => { await ask(); });
  switch (state) { case 'open': return 1; }
  const loose = JSON.parse('1');
  const text: string = loose.name;
  return \`\${given}\`.length + text.length;
};
export const count: number = 'no number';
`;

describe('set-up: faults that only types show', () => {
  it('set-up finds 6 planted faults with the configuration that npm run lint uses, one of them by the compiler alone', () => {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-lint-'));
    try {
      for (const name of ['.oxlintrc.json', 'tsconfig.json']) cpSync(name, join(dir, name));
      symlinkSync(resolve('node_modules'), join(dir, 'node_modules'));
      mkdirSync(join(dir, 'electron'));
      writeFileSync(join(dir, 'electron', 'planted.ts'), PLANTED);
      const oxlint = resolve('node_modules', 'oxlint', 'bin', 'oxlint');
      const { stdout } = spawnSync(
        process.execPath,
        [oxlint, '--type-aware', '--type-check', '-f', 'unix', 'electron'],
        {
          cwd: dir,
          encoding: 'utf8',
        },
      );
      for (const rule of [
        'no-floating-promises',
        'no-misused-promises',
        'switch-exhaustiveness-check',
        'no-unsafe-assignment',
        'restrict-template-expressions',
        'TS2322',
      ]) {
        expect(stdout).toContain(`[Error/typescript(${rule})]`);
      }
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
