import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pin } from '../../../electron/adapters/shell/git-pin';
import { lookUpRemote } from '../../../electron/adapters/shell/git-remote-url';
import { createShellTools } from '../../../electron/adapters/shell/shell-tools';
import { hasShellEffects } from '../../../electron/engine/shell-policy/shell-effects';
import { namedRemote } from '../../../electron/engine/shell-policy/git-remote';
import { shellRisk } from '../../../electron/engine/shell-policy/shell-risk';
import type { CallTarget } from '../../../electron/ports/tool-call';
import type { ToolOutcome } from '../../../electron/ports/tool-call';
import { toolCall, useTempFolders } from './call-tool';

const folder = useTempFolders();

/** A repository of two commits with a remote "origin" at good.git, and evil.git beside it. */
function repositories() {
  const top = folder();
  const home = join(top, 'home');
  mkdirSync(home);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = n\n\temail = e@x\n');
  const [good, evil, work] = ['good.git', 'evil.git', 'work'].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });
  for (const one of [good, evil]) git(top, 'init', '-q', '--bare', '-b', 'main', one);
  git(top, 'init', '-q', '-b', 'main', work);
  git(work, 'commit', '-q', '--allow-empty', '-m', 'one');
  git(work, 'remote', 'add', 'origin', good);
  const host = createShellTools({
    onOutput: () => undefined,
    instanceId: 'test-instance',
    runId: 'test-run',
    limits: () => ({ timeoutMs: 20_000, maxOutputBytes: 65_536 }),
    loginEnvironment: () => Promise.resolve({ kind: 'login', shell: '/bin/sh', env, tookMs: 0 }),
    ownEnvironment: env,
    commandHasEffects: hasShellEffects,
    commandRisk: shellRisk,
    namedRemote,
  });
  const [spec] = host.tools();
  return {
    top,
    good,
    evil,
    work,
    home,
    env,
    git: (...args: readonly string[]) => git(work, ...args),
    goesTo: (command: string) => spec?.goesTo?.({ command }, work),
    whyNot: (command: string) => spec?.whyNotTold?.({ command }, work),
    run: (command: string, goesTo?: CallTarget): Promise<ToolOutcome> =>
      host.call({
        ...toolCall('shell', { command }, work),
        ...(goesTo === undefined ? {} : { goesTo }),
      }),
    /** Refs of a repository, by name. */
    refs: (where: string): string[] =>
      git(where, 'for-each-ref', '--format=%(refname)').split('\n').filter(Boolean),
  };
}

/** What runs between the question and the call, or while the call is made. */
const TAMPERS: readonly (readonly [string, (evil: string, good: string) => string[][]])[] = [
  ['a push address', (evil) => [['config', 'remote.origin.pushurl', evil]]],
  ['a second push address', (evil) => [['config', '--add', 'remote.origin.pushurl', evil]]],
  ['another address', (evil) => [['config', 'remote.origin.url', evil]]],
  ['a rule for addresses', (evil, good) => [['config', `url.${evil}.insteadOf`, good]]],
  ['a rule for pushes', (evil, good) => [['config', `url.${evil}.pushInsteadOf`, good]]],
  ['a rule for every address', (evil) => [['config', `url.${evil}?.pushInsteadOf`, '']]],
  [
    'a rule for addresses of Holdfast',
    (evil) => [['config', `url.${evil}?.insteadOf`, 'holdfast-']],
  ],
  [
    'a default for pushes',
    (evil) => [
      ['config', 'remote.e.url', evil],
      ['config', 'remote.pushDefault', 'e'],
    ],
  ],
  [
    'a remote of the branch',
    (evil) => [
      ['config', 'remote.e.url', evil],
      ['config', 'branch.main.pushRemote', 'e'],
    ],
  ],
  ['submodules', () => [['config', 'push.recurseSubmodules', 'on-demand']]],
];

describe('S3-06 security F3 a push goes where it was allowed to', () => {
  it('a commit before it runs hooks: no address is named, and it is said why', async () => {
    const { evil, git, goesTo, whyNot, work } = repositories();
    const hook = join(work, '.git', 'hooks', 'pre-commit');
    mkdirSync(join(work, '.git', 'hooks'), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ngit config remote.origin.pushurl ${evil}\n`);
    chmodSync(hook, 0o755);
    writeFileSync(join(work, 'f'), 'x');
    const command = 'git add f && git commit -m x && git push origin main';
    expect(await goesTo(command)).toBeUndefined();
    expect(await whyNot(command)).toMatch(/such as a commit hook, can redirect it/);
    // The push alone, after the commit, is asked about with the address that the hook has set.
    git('add', 'f');
    git('commit', '-q', '-m', 'x');
    expect((await goesTo('git push origin main'))?.address).toBe(evil);
  });

  it.each(TAMPERS)(
    'with %s between question and call it is not made there',
    async (_what, tamper) => {
      for (const command of ['git push origin main', 'git push']) {
        const { evil, good, git, goesTo, refs, run } = repositories();
        git('config', 'push.default', 'current');
        const allowed = await goesTo(command);
        expect(allowed).toEqual({ address: good, name: 'origin' });
        for (const args of tamper(evil, good)) git(...args);
        const end = await run(command, allowed);
        expect(refs(evil)).toEqual([]);
        if (end.kind === 'failed') expect(end.message).toMatch(/was not run\.$/);
        else expect(refs(good)).toEqual(['refs/heads/main']);
      }
    },
  );

  it.each(TAMPERS)(
    'with %s between the last look and git itself it reaches the allowed one',
    async (_what, tamper) => {
      const { env, evil, good, git, refs, work } = repositories();
      const command = 'git push origin main';
      const found = await lookUpRemote({ isPush: true, remote: 'origin' }, work, env);
      if (found.kind !== 'known') throw new Error(found.why);
      const pinned = await pin(command, found.facts, env, 'a1b2');
      if (pinned === undefined) throw new Error('it cannot be pinned');
      for (const args of tamper(evil, good)) git(...args);
      execFileSync('bash', ['-c', pinned.command], { cwd: work, env: pinned.env, stdio: 'pipe' });
      expect([refs(good), refs(evil)]).toEqual([['refs/heads/main'], []]);
      expect(refs(work)).toContain('refs/remotes/origin/main');
    },
  );

  it('is raced by a program that swaps the address all the time: 25 pushes, none elsewhere', async () => {
    const { env, evil, git, good, goesTo, refs, run, work } = repositories();
    const file = join(work, '.git', 'config');
    const [mine, theirs] = [join(work, '.git', 'a'), join(work, '.git', 'b')];
    execFileSync('cp', [file, mine]);
    git('config', 'remote.origin.pushurl', evil);
    execFileSync('cp', [file, theirs]);
    execFileSync('cp', [mine, file]);
    const swap = `for n in $(seq 100000); do cp ${theirs} t; mv t ${file}; cp ${mine} t; mv t ${file}; done`;
    const racer = spawn('bash', ['-c', swap], { cwd: work, env, stdio: 'ignore' });
    let made = 0;
    try {
      for (let at = 0; at < 25; at += 1) {
        const command = `git push origin main:refs/heads/b${String(at)}`;
        const end = await run(command, { address: good, name: 'origin' });
        if (end.kind === 'result' && !end.isError) made += 1;
      }
    } finally {
      racer.kill('SIGKILL');
      await once(racer, 'exit');
    }
    execFileSync('cp', [mine, file]);
    expect(await goesTo('git push origin')).toBeDefined();
    expect(refs(evil)).toEqual([]);
    expect(refs(good)).toHaveLength(made);
    expect(made).toBeGreaterThan(0);
  });

  it('a pre-push hook cannot change the address of the push that it stops for', async () => {
    const { evil, good, goesTo, refs, run, work } = repositories();
    const hook = join(work, '.git', 'hooks', 'pre-push');
    mkdirSync(join(work, '.git', 'hooks'), { recursive: true });
    writeFileSync(
      hook,
      `#!/bin/sh\ngit config remote.origin.pushurl ${evil}\ngit config url.${evil}.insteadOf ${good}\n`,
    );
    chmodSync(hook, 0o755);
    const allowed = await goesTo('git push origin main');
    await run('git push origin main', allowed);
    expect([refs(good), refs(evil)]).toEqual([['refs/heads/main'], []]);
  });

  it('names the address that a rule of the person for pushes makes of it, and goes there', async () => {
    const { good, evil, home, env, goesTo, refs, run } = repositories();
    execFileSync('git', ['config', '--global', `url.${evil}.pushInsteadOf`, good], {
      env: { ...env, HOME: home },
    });
    const allowed = await goesTo('git push origin main');
    expect(allowed).toEqual({ address: evil, name: 'origin' });
    await run('git push origin main', allowed);
    expect([refs(good), refs(evil)]).toEqual([[], ['refs/heads/main']]);
    expect((await goesTo('git fetch origin'))?.address).toBe(good);
  });

  it('names all addresses of a remote that has several, and reaches all of them', async () => {
    const { good, evil, git, goesTo, refs, run } = repositories();
    git('config', '--add', 'remote.origin.pushurl', good);
    git('config', '--add', 'remote.origin.pushurl', evil);
    const allowed = await goesTo('git push origin main');
    expect(allowed?.address).toBe(`${good}, ${evil}`);
    await run('git push origin main', allowed);
    expect([refs(good), refs(evil)]).toEqual([['refs/heads/main'], ['refs/heads/main']]);
  });

  it.each([
    ['git fetch --all', /several or all remotes/],
    ['git pull --all', /several or all remotes/],
    ['git pull origin main', /a pull also merges/],
    ['git push nobody main', /nobody is not set here/],
    ['git push -u', /git would choose/],
  ])('of "%s" no address is named, and it is said why', async (command, why) => {
    const { evil, git, goesTo, whyNot } = repositories();
    git('remote', 'add', 'other', evil);
    expect(await goesTo(command)).toBeUndefined();
    expect(await whyNot(command)).toMatch(why);
  });

  it('of a fetch where there are submodules no address is named', async () => {
    const { git, goesTo, good, top, whyNot, work } = repositories();
    expect((await goesTo('git fetch origin'))?.address).toBe(good);
    execFileSync('cp', ['-r', work, join(top, 'inner')]);
    git('-c', 'protocol.file.allow=always', 'submodule', 'add', join(top, 'inner'), 'inner');
    expect(await goesTo('git fetch origin')).toBeUndefined();
    expect(await whyNot('git fetch origin')).toMatch(/has submodules/);
  });
});

describe('S3-06 security F3 a push to its allowed address is the push that was asked for', () => {
  it('notes what -u notes, of the real remote, and says its name', async () => {
    const { git, goesTo, run } = repositories();
    git('switch', '-q', '-c', 'topic');
    for (const command of [
      'git push -u origin topic',
      'git push --set-upstream origin HEAD 2>&1',
    ]) {
      const end = await run(command, await goesTo(command));
      expect(end).toMatchObject({ kind: 'result', isError: false });
      expect(git('rev-parse', '--abbrev-ref', 'topic@{upstream}').trim()).toBe('origin/topic');
      git('branch', '--unset-upstream');
    }
    git('config', 'push.autoSetupRemote', 'true');
    await run('git push', await goesTo('git push'));
    expect(git('rev-parse', '--abbrev-ref', 'topic@{upstream}').trim()).toBe('origin/topic');
    const config = git('config', '--list', '--local');
    expect(config).not.toMatch(/holdfast-[0-9a-f]{32}|origin-/);
  });

  it('fails as it would, in words about the real remote', async () => {
    const { git, goesTo, run } = repositories();
    git('switch', '-q', '-c', 'topic');
    const plain = await run('git push');
    const bound = await run('git push', await goesTo('git push'));
    expect(bound).toEqual(plain);
    expect(bound).toMatchObject({ kind: 'result', isError: true });
  });

  it('deletes, forces with a lease, mirrors tracking and fetches by the rules of the real remote', async () => {
    const { good, git, goesTo, refs, run, work } = repositories();
    const make = async (command: string): Promise<ToolOutcome> =>
      run(command, await goesTo(command));
    await make('git push origin main main:old');
    expect(refs(work)).toContain('refs/remotes/origin/old');
    await make('git push --delete origin old');
    expect(refs(good)).toEqual(['refs/heads/main']);
    git('commit', '-q', '--amend', '--allow-empty', '-m', 'other');
    expect(await make('git push origin main')).toMatchObject({ isError: true });
    expect(await make('git push --force-with-lease origin main')).toMatchObject({ isError: false });
    git('update-ref', '-d', 'refs/remotes/origin/main');
    expect(await make('git fetch origin')).toMatchObject({ isError: false });
    expect(refs(work)).toContain('refs/remotes/origin/main');
    expect(git('rev-parse', 'origin/main')).toBe(git('rev-parse', 'main'));
    expect(existsSync(join(work, '.git', 'refs', 'remotes', 'origin'))).toBe(true);
    expect(refs(work).filter((ref) => /origin-/.test(ref))).toEqual([]);
  });
});
