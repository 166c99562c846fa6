import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createLoginEnvironment,
  resolveLoginEnvironment,
} from '../../../electron/adapters/shell/login-environment';
import { useTempFolders } from './call-tool';
import { SLACK } from '../../helpers/slack';

const folder = useTempFolders();
const bash = '/bin/bash';

function home(profile: string): Record<string, string> {
  const path = folder();
  writeFileSync(join(path, '.bash_profile'), profile);
  return { HOME: path, PATH: '/usr/bin:/bin', SHELL: bash };
}

describe('resolveLoginEnvironment', () => {
  it('takes what the start-up files export, whatever they print', async () => {
    const own = home(
      'echo welcome; printf "holdfast-fake-begin\\0A=1\\0"; export TOOLS_HOME=/opt/tools MULTI=$\'a\\nb=c\'; export PATH=/opt/tools/bin:$PATH; alias env=false; printf() { command true; }\n',
    );
    const answer = await resolveLoginEnvironment({ own });
    if (answer.kind !== 'login') throw new Error(answer.reason);
    expect(answer.env).toMatchObject({
      TOOLS_HOME: '/opt/tools',
      MULTI: 'a\nb=c',
      PATH: expect.stringMatching(/^\/opt\/tools\/bin:/),
    });
    expect(answer.env).not.toHaveProperty('HOLDFAST_RESOLVING_ENVIRONMENT');
  });

  it('lets a start-up file that is too slow remove its lock, so that the next shell does not wait for it', async () => {
    const own = home(
      `command bash -c 'trap "rm -f $HOME/lock" EXIT; echo > $HOME/lock; sleep 600'\n`,
    );
    const lock = join(own['HOME'] ?? '', 'lock');
    await resolveLoginEnvironment({ own, timeoutMs: 4_000 });
    expect(existsSync(lock)).toBe(true);
    await expect.poll(() => existsSync(lock), { timeout: 60_000 }).toBe(false);
  });

  it('gives up after its time limit and says why', async () => {
    const started = performance.now();
    const answer = await resolveLoginEnvironment({ own: home('sleep 30\n'), timeoutMs: 400 });
    expect(answer).toEqual({ kind: 'own', reason: '/bin/bash did not respond within 0.4 s.' });
    expect(performance.now() - started).toBeLessThan(1_500 * SLACK);
  });

  it('does not wait for what a start-up file leaves running', async () => {
    const started = performance.now();
    const answer = await resolveLoginEnvironment({ own: home('sleep 4 &\nexport A=1\n') });
    expect(answer).toMatchObject({ kind: 'login', env: { A: '1' } });
    expect(performance.now() - started).toBeLessThan(3_000 * SLACK);
  });

  it('falls back with a reason for a shell that ends, is missing or unknown', async () => {
    expect(await resolveLoginEnvironment({ own: home('exit 4\n') })).toEqual({
      kind: 'own',
      reason: '/bin/bash ended without a result (exit code 4).',
    });
    expect(await resolveLoginEnvironment({ own: {}, shell: '/nowhere/bash' })).toMatchObject({
      kind: 'own',
      reason: expect.stringContaining('could not be started'),
    });
    const path = folder();
    mkdirSync(join(path, 'bin'));
    writeFileSync(join(path, 'bin/nologin'), '#!/bin/sh\n');
    chmodSync(join(path, 'bin/nologin'), 0o755);
    expect(
      await resolveLoginEnvironment({ own: {}, shell: join(path, 'bin/nologin') }),
    ).toMatchObject({
      kind: 'own',
      reason: expect.stringContaining('not supported'),
    });
  });

  it('asks once and keeps the answer', async () => {
    const own = home('echo x >> "$HOME/asked"; export A=$(wc -l < "$HOME/asked")\n');
    const resolve = createLoginEnvironment({ own });
    const [first, second] = await Promise.all([resolve(), resolve()]);
    expect(second).toBe(first);
    expect(await resolve()).toBe(first);
    expect(first).toMatchObject({ kind: 'login', env: { A: '1' } });
  });
});
