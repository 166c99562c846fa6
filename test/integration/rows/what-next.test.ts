/** What commands say next, for turns of every kind that wait for a person. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtProgram } from '../../helpers/built-program';
import { commandHere } from '../../helpers/command-here';
import type { Site } from './site';
import { callsThenDone, createSite, effect, until } from './site';

let site: Site;
beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.remove());

describe('a turn that waits for an approval', () => {
  it('S3-06 is named so, and each command says where its question is', async () => {
    site.configure({ approvals: { tools: { shell: 'ask' } } });
    site.fp.setScript(callsThenDone(effect('1')));
    await site.start();
    const waiting = await site.hf('send', 'work', '--wait');
    expect([waiting.code, waiting.out]).toEqual([5, '']);
    expect(waiting.err).toContain('Turn 1 needs approval');
    expect(waiting.err).toContain('Next: holdfast approvals list');
    const resumed = await site.hf('turns', 'resume', '1');
    expect(resumed.code).not.toBe(0);
    expect(resumed.err).toContain('Turn 1 needs your approval of a tool call.');
    expect(resumed.err).toContain('holdfast approvals list');
    const listed = await site.json<{ items: { id: number }[] }>('inbox', 'list');
    const id = String(listed.items[0]?.id);
    expect((await site.hf('inbox', 'dismiss', id)).err).toContain('needs a decision');
    expect((await site.hf('turns', 'cancel', '1')).out).toContain('Turn 1 is canceled');
    // It is decided: a notice that is over can be dismissed again without harm.
    expect((await site.hf('inbox', 'dismiss', id)).code).toBe(0);
    expect((await site.hf('turns', 'resume', '1')).err).toContain(
      'Turn 1 is canceled and needs no decision.',
    );
  });
});

describe('an environment as containers have it', () => {
  it('S1-01 an empty TZ is UTC, and the folder of the shell is no secret', async () => {
    site.configure({});
    const env = { TZ: '', PWD: site.dataDir, OLDPWD: site.dataDir };
    const host = site.launch(['start', '--headless'], '', env);
    await until('the host is ready', () => host.out().includes('\n'));
    const made = await site.launch(
      ['tasks', 'add', 'look', '--schedule', 'daily at 09:00', '--json'],
      '',
      env,
    ).ended;
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.out).toContain('UTC');
    const report = await site.launch(['doctor'], '', env).ended;
    expect(report.out).toContain(site.dataDir);
    expect(report.out).not.toContain('[redacted]');
  });
});

describe('a headless Holdfast', () => {
  it('opens no debugger at SIGUSR1, and goes on', async () => {
    site.configure({});
    site.fp.setScript(() => ({ text: 'still here' }));
    const host = await site.start();
    host.child.kill('SIGUSR1');
    expect((await site.hf('send', 'hello', '--wait')).out).toBe('still here\n');
    expect((await site.stop(host)).code).toBe(0);
    expect(host.err()).not.toContain('Debugger');
  });
});

describe('a place that is no data directory', () => {
  it.each(['/tmp', '/etc', '/dev/null'])(
    'K5 %s is refused without advice that would damage it',
    async (place) => {
      const { code, err } = await commandHere(['status', '--data-dir', place], {
        env: { PATH: process.env['PATH'] },
        home: site.workspace,
        program: builtProgram(),
      });
      expect(code).not.toBe(0);
      expect(err).toContain('--data-dir');
      expect(err).not.toMatch(/chmod|chown|\bmv\b|\brm\b/);
    },
  );
});
