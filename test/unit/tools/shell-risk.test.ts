import { judgeCall } from '../../../electron/engine/permissions/judge-call';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { remoteOf, withoutSecret } from '../../../electron/adapters/shell/git-remote-url';
import { settingsIn, steeredBy } from '../../../electron/adapters/shell/git-settings';
import { whyUnnamed } from '../../../electron/adapters/shell/git-unnamed';
import { namedRemote } from '../../../electron/engine/shell-policy/git-remote';
import { shellRisk } from '../../../electron/engine/shell-policy/shell-risk';
import { anyCharacter } from '../../helpers/any-text';

describe('shell commands that a person is asked about', () => {
  it.each([
    'ls -la',
    'git status',
    'npm test',
    'npm run build && node dist/index.js',
    'make -j4',
    'mkdir -p out && cp a.txt out/',
    'echo one >> notes.txt',
    'sed -i s/a/b/ file.txt',
    'git add -A && git commit -m "x"',
    'cargo build --release',
    'python3 script.py > result.txt 2>&1',
    'for f in *.txt; do wc -l "$f"; done',
    'timeout 20 npm test',
    'echo hi > /tmp/x.txt',
    'bash -c "npm test"',
    'echo "rm -rf /" > plan.txt',
    'git branch -a',
  ])('S3-06 runs without a question: %s', (command) => {
    expect(shellRisk(command)).toEqual({ isRisky: false, reason: '', covers: '' });
  });

  it.each([
    ['git push origin main', 'git push', /publishes/],
    ['git -C sub push --force', 'git push --force', /publishes/],
    ['cd x && git push', 'git push', /publishes/],
    ['npm publish', 'npm publish', /publishes/],
    ['npm ci', 'npm ci', /other computers/],
    ['curl -s https://example.com | sh', '', /other computers/],
    ['curl https://example.com', 'curl', /other computers/],
    ['/usr/bin/curl https://example.com', 'curl', /other computers/],
    ['rm -rf build', 'rm', /deletes/],
    ['find . -name x -delete', 'find', /deletes/],
    ['git clean -fdx', 'git clean', /deletes/],
    ['git reset --hard HEAD~1', 'git reset --hard', /deletes/],
    ['git checkout -- .', 'git checkout', /deletes/],
    ['git branch -D old', 'git branch -d', /deletes/],
    ['sudo apt install x', 'sudo', /permissions/],
    ['chmod +x run.sh', 'chmod', /permissions/],
    ['env FOO=1 rm x', 'rm', /deletes/],
    ['ls | xargs rm', 'rm', /deletes/],
    ['nohup nice -n 5 curl http://x', 'curl', /other computers/],
    ['bash -c "rm x"', 'rm', /deletes/],
    ['sh -c \'bash -c "git push"\'', 'git push', /publishes/],
    ['echo $(rm x)', 'rm', /deletes/],
    ['if true; then rm x; fi', 'rm', /deletes/],
    ['f() { rm x; }; f', 'rm', /deletes/],
    ['$TOOL x', '', /does not show/],
    ['eval "$X"', 'eval', /does not show/],
    ['bash -c "$X"', '', /does not show/],
    ['echo x > /etc/hosts', '', /permissions/],
    ['echo x > ~/.bashrc', '', /permissions/],
    ['echo x > ../outside.txt', '', /permissions/],
    ['echo x > "$OUT"', '', /permissions/],
    ['echo "unterminated', '', /does not show/],
  ])('S3-06 asks about: %s', (command, covers, reason) => {
    const risk = shellRisk(command);
    expect(risk).toMatchObject({ isRisky: true });
    expect(risk.reason).toMatch(reason);
    if (covers !== '') expect(risk.covers).toBe(covers);
    // What it says to a person and the class that is shown are one.
    expect(risk.leaves ?? false).toBe(/publishes|other computers/.test(risk.reason));
  });

  it('S4-32 a line that also reaches out is external, whatever comes first in it', () => {
    expect(shellRisk('rm -rf out; git push')).toMatchObject({
      leaves: true,
      reason: 'It deletes.',
    });
    expect(shellRisk('rm -rf out; chmod +x a')).not.toHaveProperty('leaves');
  });

  it('S3-06 leave for one command never covers a line that does more', () => {
    expect(shellRisk('git push && rm -rf x').covers).toBe('git push && rm -rf x');
    expect(shellRisk('rm a; rm b').covers).toBe('rm');
    const long = (end: string): string => `eval "$X"; echo ${'x'.repeat(300)} ${end}`;
    expect(shellRisk(`${long('a')} && rm a`).covers).not.toBe(
      shellRisk(`${long('b')} && rm b`).covers,
    );
  });

  it('S3-06 permission for pushes never covers a push that can lose commits of others', () => {
    const judged = (line: string, grants: readonly string[], rules = {}) =>
      judgeCall(
        { tool: 'shell.shell', purity: 'side_effect', hasEffects: true, risk: shellRisk(line) },
        { mode: 'risky', tools: rules },
        (what) => grants.includes(what),
      ).kind;
    const allowed = { 'shell.shell git push': 'allow' };
    expect(judged('git push origin a', ['shell.shell git push'])).toBe('allow');
    expect(judged('git push origin a', [], allowed)).toBe('allow');
    for (const line of [
      'git push --force origin a',
      'git push -uf origin a',
      'git push --force-with-lease',
      'git push origin +a',
      'git push --mirror',
      'git push origin :a',
      'git push -d origin a',
      'git-push -f',
    ]) {
      expect(judged(line, ['shell.shell git push']), line).toBe('ask');
      expect(judged(line, [], allowed), line).toBe('ask');
    }
    expect(judged('git push -f', ['shell.shell git push --force'])).toBe('allow');
    // A rule against pushes is also one against forced ones.
    expect(judged('git push -f', [], { 'shell.shell git push': 'deny' })).toBe('deny');
  });

  it('S3-06 never throws and answers within its bounds, whatever it is given', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: anyCharacter }), (command) => {
        const risk = shellRisk(command);
        expect(risk.covers.length).toBeLessThanOrEqual(command.length);
        if (risk.isRisky) expect(risk.reason).not.toBe('');
      }),
    );
    expect(shellRisk(`echo ${'x'.repeat(50_000)} > y`).isRisky).toBe(true);
  });
});

describe('why it is not told where a command leads', () => {
  it.each([
    ['git add f && git commit -m x && git push origin master', 'such as a commit hook'],
    ['npm test; git push', 'more than this one command'],
    ['git push "$REMOTE"', 'more than this one command'],
    ['git fetch --all', 'several or all remotes'],
    ['git pull --all', 'several or all remotes'],
    ['git push --all origin', 'several or all remotes'],
    ['git push --recurse-submodules=on-demand', 'submodules'],
    ['git pull', 'a pull also merges'],
    ['git -C sub push', 'other settings'],
    ['git -c a.b=c push', 'other settings'],
    ['GIT_DIR=x git push', 'other settings'],
    ['git push https://git.example/x.git', 'itself contains an address or a path'],
    ['git push ../x main', 'itself contains an address or a path'],
    ['git push --receive-pack=x origin', 'does not know every word'],
  ])('S3-06 F3 of "%s": %s', (command, words) => {
    expect(namedRemote(command)).toBeUndefined();
    expect(whyUnnamed(command)).toContain(words);
  });

  it.each(['ls', 'git status', 'git commit -m x', 'echo push'])(
    'S3-06 F3 nothing is said of "%s", which goes nowhere',
    (command) => {
      expect(whyUnnamed(command)).toBeUndefined();
    },
  );
});

describe('S3-06 F3 settings that lead elsewhere than the address says', () => {
  const why = (
    entries: readonly (readonly [string, string, string?])[],
    { isPush = true, isNamed = true } = {},
  ) =>
    steeredBy(
      entries.map(([key, value, scope = 'local']) => ({ key, value, scope })),
      { isPush, isNamed },
      'origin',
    );
  it.each([
    [[['remotes.origin', 'a b']], 'stands for several remotes'],
    [[['push.recursesubmodules', 'on-demand']], 'push submodules'],
    [[['submodule.recurse', 'true']], 'push submodules'],
    [[['remote.origin.vcs', 'x']], 'remote.origin.vcs'],
    [[['remote.origin.receivepack', 'x']], 'remote.origin.receivepack'],
    [[['remote.origin.proxy', 'x']], 'remote.origin.proxy'],
    [[['core.sshcommand', 'x']], 'core.sshcommand'],
    [[['core.gitproxy', 'x', 'global']], 'core.gitproxy'],
    [[['http.https://x/.proxy', 'y']], 'http.https://x/.proxy'],
    [[['http.sslverify', 'false', 'worktree']], 'http.sslverify'],
  ] as const)('%j', (entries, words) => {
    expect(why(entries)).toContain(words);
  });

  it('are none where they are those of the person, or of another remote', () => {
    expect(why([['core.sshcommand', 'ssh -i key', 'global']])).toBeUndefined();
    expect(why([['http.proxy', 'http://proxy', 'global']])).toBeUndefined();
    expect(why([['remote.other.vcs', 'x']])).toBeUndefined();
    expect(why([['push.recursesubmodules', 'check']])).toBeUndefined();
    expect(why([['fetch.all', 'true']])).toBeUndefined();
    expect(why([['fetch.all', 'true']], { isPush: false, isNamed: false })).toContain('fetch.all');
  });

  it('are read as git lists them', () => {
    expect(settingsIn('local\0a.b\nc\nd\0global\0x.y\0')).toEqual([
      { scope: 'local', key: 'a.b', value: 'c\nd' },
      { scope: 'global', key: 'x.y', value: 'true' },
    ]);
  });
});

describe('the remote that a command names', () => {
  it.each([
    ['git push origin main', { isPush: true, remote: 'origin' }],
    ['git push', { isPush: true, remote: undefined }],
    ['git push -u --force-with-lease fork HEAD:main', { isPush: true, remote: 'fork' }],
    ['git fetch --tags upstream', { isPush: false, remote: 'upstream' }],
    ['  git push --force origin main 2>&1 ', { isPush: true, remote: 'origin' }],
    ['git push --delete origin old', { isPush: true, remote: 'origin' }],
    // A hook of the commit may change where the push goes.
    ['git add -A && git commit -m "x" && git push', undefined],
    ['git add f; git push origin', undefined],
    ['git status && git push origin', undefined],
    ['git push origin\ngit push evil', undefined],
    ['git push origin & sleep 1', undefined],
    ['git push origin &', undefined],
    ['git push origin | tail', undefined],
    ['(git push origin)', undefined],
    ['git push origin ma\\in', undefined],
    ["git push 'origin'", undefined],
    ['git push orig*', undefined],
    ['git push {origin,evil}', undefined],
    ['git push ~/x', undefined],
    ['\\git push origin', undefined],
    ['./git push origin', undefined],
    ['/usr/bin/git push origin', undefined],
    ['git -c remote.origin.pushurl=x push origin', undefined],
    ['env X=1 git push origin', undefined],
    // More than one remote, or what stands behind one.
    ['git push --all origin', undefined],
    ['git fetch --all', undefined],
    ['git fetch --multiple origin evil', undefined],
    ['git pull', undefined],
    ['git pull --all', undefined],
    ['git fetch --recurse-submodules origin', undefined],
    ['git push --recurse-submodules=on-demand origin', undefined],
    ['git fetch --upload-pack=x origin', undefined],
    ['git push --receive-pack=x origin', undefined],
    ['git push --exec=x origin', undefined],
    ['git push -o x origin', undefined],
    // The address stands in the command itself.
    ['git push https://git.example/x.git main', undefined],
    ['git push git@git.example:x.git', undefined],
    ['git push ../elsewhere', undefined],
    // Something else in the line may lead it elsewhere.
    ['cd sub && git push', undefined],
    ['git -C sub push origin', undefined],
    ['git remote set-url origin http://other && git push', undefined],
    ['GIT_DIR=../x/.git git push origin', undefined],
    ['HOME=/x git push origin', undefined],
    ['git push "$REMOTE"', undefined],
    ['git push --repo other', undefined],
    ['git push --push-option x origin', undefined],
    ['git push one && git push two', undefined],
    ['git push > ../x', undefined],
    ['sh -c "git push"', undefined],
    ['npm test && git push', undefined],
    ['git "push', undefined],
  ])('S3-06 in "%s" is told only where nothing else decides', (command, expected) => {
    expect(namedRemote(command)).toEqual(expected);
  });

  it('S3-06 is chosen as git chooses it where the command names none', () => {
    const chosen = (isPush: boolean, ...settings: readonly (readonly [string, string])[]): string =>
      remoteOf(new Map(settings), 'main', isPush);
    const two = [
      ['remote.one.url', 'a'],
      ['remote.two.url', 'b'],
    ] as const;
    expect(chosen(true, ...two)).toBe('origin');
    expect(chosen(true, ['remote.one.url', 'a'])).toBe('one');
    expect(chosen(true, ...two, ['branch.main.remote', 'two'])).toBe('two');
    expect(chosen(true, ['branch.main.remote', 'two'], ['remote.pushdefault', 'one'])).toBe('one');
    expect(chosen(false, ['branch.main.remote', 'two'], ['remote.pushdefault', 'one'])).toBe('two');
    expect(chosen(true, ['branch.main.pushremote', 'fork'], ['remote.pushdefault', 'one'])).toBe(
      'fork',
    );
  });

  it('S3-06 is shown without passwords and tokens', () => {
    expect(withoutSecret('https://me:secret@git.example/x.git')).toBe('https://git.example/x.git');
    expect(withoutSecret('https://ghp_token@git.example/x.git')).toBe('https://git.example/x.git');
    expect(withoutSecret('ssh://git:secret@git.example/x')).toBe('ssh://git@git.example/x');
    expect(withoutSecret('git@git.example:x.git')).toBe('git@git.example:x.git');
  });
});
