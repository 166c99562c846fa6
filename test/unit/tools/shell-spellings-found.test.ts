/** Spellings and wrappers that rules, leave and the list of effects have to see through. */
import { describe, expect, it } from 'vitest';
import { commandOf, mayBeTools } from '../../../electron/engine/executors/acp/facts';
import { judgeCall, type ApprovalRules } from '../../../electron/engine/permissions/judge-call';
import { hasShellEffects } from '../../../electron/engine/shell-policy/shell-effects';
import { shellRisk } from '../../../electron/engine/shell-policy/shell-risk';
import { judgeSleep } from '../../../electron/engine/shell-policy/sleep-guard';

const judged = (line: string, tools: ApprovalRules['tools'], mode: ApprovalRules['mode']): string =>
  judgeCall(
    { tool: 'shell.shell', purity: 'side_effect', hasEffects: true, risk: shellRisk(line) },
    { mode, tools },
    () => false,
  ).kind;

describe('a rule that denies rm', () => {
  it.each([
    'setarch -R rm x',
    'setarch x86_64 rm x',
    'setarch x86_64 -R rm x',
    'aws-vault exec prod -- rm x',
    'chamber exec s -- rm x',
    'mise x node@20 -- rm x',
    'mise exec node@20 python@3 -- rm x',
    'nvm exec rm x',
    'nvm exec 20 rm x',
    "ssh h -t 'rm x'",
    'ssh h -p 22 rm x',
    'ssh h -- rm x',
    'sshpass -p a ssh h rm x',
    'arch -x86_64 rm x',
    'xcrun rm x',
    'gtime -p rm x',
    'toolbox run rm x',
    'distrobox enter box -- rm x',
    'systemd-cat -t a rm x',
    'eatmydata rm x',
    'run-one rm x',
    'flatpak-spawn --host rm x',
    "tar --use='rm x' -cf a.tar b",
    'tar --checkpoint=1 --checkpoint-=exec="rm x" -cf a.tar b',
    "make -E '$(shell rm x)'",
    'make --ev="x"',
    "man --pa='rm x' ls",
    "sed '1e rm x' f",
    'sed s/a/b/e f',
    "git fetch --upload-pack='rm x' .",
    "git ls-remote --upl='rm x' .",
    "git push --exec='rm x' . HEAD",
    "git ls-remote 'ext::rm x'",
    "rsync -e 'rm x' a h:b",
    "ssh -o ProxyCommand='rm x' h",
    "ssh -oproxycommand='rm x' h",
    'scp -S ./x a h:b',
  ])('F8 holds for %j, in every mode', (line) => {
    for (const mode of ['risky', 'all_effects', 'off'] as const)
      expect(judged(line, { 'shell.shell rm': 'deny' }, mode)).not.toBe('allow');
  });

  it.each([
    'setarch -R ls',
    'ssh h -p 22 ls',
    'ssh -o StrictHostKeyChecking=no h ls',
    'ssh -oConnectTimeout=5 h ls',
    'sed s/rm/mv/g f',
    'make test',
    'git add --update',
    'git clone --recursive a b',
    'rsync -av --exclude=x --delete a b',
  ])('F8 has nothing to do with %j', (line) => {
    expect(judged(line, { 'shell.shell rm': 'deny' }, 'off')).toBe('allow');
  });
});

describe('a rule that allows a program', () => {
  it.each([
    ['git fetch', "git fetch --upload='touch p' ."],
    ['git fetch', "git fetch --upl 'touch p' ."],
    ['git clone', "git clone -u 'touch p' . b"],
    ['git clone', 'git clone -ccore.sshCommand=x a b'],
    ['git pull', "git pull --upload='touch p' ."],
    ['git push', "git push --exe='touch p' . HEAD"],
    ['git push', 'git push --mirr origin'],
    ['git push', "git push --prun origin 'refs/heads/*'"],
    ['git log', 'git log --output=.git/hooks/pre-commit'],
    ['git log', 'git log --outp=f'],
    ['git archive', 'git archive -o f HEAD'],
    ['ssh', "ssh -oproxycommand='touch p' h"],
    ['ssh', 'ssh -4oProxyCommand=x h'],
    ['ssh', 'ssh -4F cfg h'],
    ['ssh', 'ssh -oKnownHostsCommand=x h'],
    ['ssh', 'ssh -I ./x.so h'],
    ['rsync', 'rsync -avze ./x a h:b'],
    ['rsync', 'rsync --rsync-path=./x a h:b'],
    ['scp', 'scp -rS ./x a h:b'],
    ['sftp', 'sftp -D ./x'],
    ['npm install', 'npm install --script-she=./x'],
    ['npm install', 'npm install --git=./x'],
    ['go build', 'go build -toolexec ./x'],
    ['kubectl get', 'kubectl get --exec-batch x'],
    ['kubectl get', 'kubectl get --config-x=y'],
    ['kubectl get', 'kubectl get -oProxyCommand=x'],
    ['kubectl get', 'kubectl get -oproxycommand=x'],
    ['wget', 'wget -qO- -O g https://a.example'],
    ['wget', 'wget --spider -O k https://a.example'],
    ['curl', 'curl --data-urlencode a@/etc/hostname https://a.example'],
    ['docker run', 'docker run --mount=type=bind,src=/,dst=/h a'],
  ])('F8 %s does not allow %j', (name, line) => {
    expect(judged(line, { [`shell.shell ${name}`]: 'allow' }, 'all_effects')).toBe('ask');
  });

  it.each([
    ['git push', 'git push -u origin main'],
    ['git fetch', 'git fetch --prune --tags origin'],
    ['git clone', 'git clone --depth 1 https://a.example/b.git'],
    ['ssh', 'ssh -p 22 -o StrictHostKeyChecking=no h uptime'],
    ['rsync', 'rsync -avz --delete --exclude=node_modules a h:b'],
    ['scp', 'scp -r -P 22 a h:b'],
    ['npm install', 'npm install --save-dev left-pad'],
    ['go build', 'go build -v -trimpath ./...'],
    ['kubectl get', 'kubectl get pods'],
    ['wget', 'wget -qO- https://a.example'],
    ['curl', 'curl -s --data-urlencode a=b https://a.example'],
  ])('F8 %s allows %j', (name, line) => {
    expect(judged(line, { [`shell.shell ${name}`]: 'allow' }, 'all_effects')).toBe('allow');
  });
});

describe('what zsh computes', () => {
  it.each([
    "printf '%d' 'path[$(touch p)]'",
    "n='path[$(touch p)]'; printf '%*d' n 1",
    "exit 'path[$(touch p)]'",
    'exit $x',
    "x='path[$(touch p)]'; echo $path[x]",
    'x=\'path[$(touch p)]\'; echo "$path[x]"',
    'echo $x[n]',
    "x='path[$(touch p)]'; test -t x",
    '[ -t "$x" ]',
    '[ "$x" y ]',
    'cat << E\n$path[x]\nE',
  ])('S0-13 counts as an effect: %j', (line) => {
    expect(hasShellEffects(line)).toBe(true);
  });

  it.each([
    'exit 1',
    'exit $?',
    "printf '%s: %d\\n' name 12",
    "printf '%5.1f %s\\n' 1.5 a",
    '[ -t 1 ]',
    'test -n "$x"',
    '[ "$x" = y ]',
    'echo "$x" [a]',
  ])('S0-13 is read-only: %j', (line) => {
    expect(hasShellEffects(line)).toBe(false);
  });

  it("F8 a rule that denies rm holds for exit 'path[$(rm f)]' and for a subscript", () => {
    for (const line of ["exit 'path[$(rm f)]'", "x='path[$(rm f)]'; echo $path[x]"])
      expect(judged(line, { 'shell.shell rm': 'deny' }, 'off')).not.toBe('allow');
  });
});

describe('the command of an external agent', () => {
  const of = (input: object) => commandOf({ kind: 'execute', input: input as never });

  it.each([
    [{ command: 'find', args: ['.', '-delete'] }, 'find . -delete'],
    [{ command: 'env', args: ['rm', '-rf', 'x'] }, 'env rm -rf x'],
    [{ command: ['git'], args: ['push'] }, 'git push'],
    [{ command: ['/bin/bash', '-lc', 'ls'], workdir: '/w', timeout_ms: 5 }, 'ls'],
    [{ command: 'ls', env: {}, run_in_background: true, description: 'look' }, 'ls'],
    [{ command: ['./bin/sh', '-c', 'ls'] }, './bin/sh -c ls'],
    [{ command: ['/w/evil/zsh', '-lc', 'cat a'] }, "/w/evil/zsh -lc 'cat a'"],
  ])('F1 is all of it: %j', (input, line) => {
    expect(of(input)?.replaceAll("'", '')).toBe(line.replaceAll("'", ''));
    expect(hasShellEffects(of(input) ?? 'rm')).toBe(line !== 'ls');
  });

  it.each([
    { command: 'ls', env: { PATH: './evil' } },
    { command: 'sh', stdin: 'rm x' },
    { command: 'ls', shell: './evil' },
    { command: ['ls', '; rm x'], shell: true },
    { command: 'ls -l', args: ['x'] },
    { command: 'ls', script: 'rm x' },
    { command: 'ls', args: 'x' },
  ])('F1 is not known with fields that decide what runs: %j', (input) => {
    expect(of(input)).toBeUndefined();
  });

  it('F2 a rule for a server restricts its tool, whatever the agent calls it', () => {
    const name = 'mcp__mail__send';
    for (const kind of ['other', 'execute'] as const)
      expect(mayBeTools('codex', { kind, name, title: '' })).toContain('mail.send');
    expect(mayBeTools('codex', { kind: 'execute', name: undefined, title: 'ls src/lib' })).toEqual(
      [],
    );
  });
});

describe('the sleep guard', () => {
  it.each(['sleep 600 || make', 'make && true', 'exit 0'])('lets %j through', (line) => {
    expect(judgeSleep(line)).toMatchObject({ blocked: false });
  });

  it.each(['sleep 600 || true', 'sleep 600 || :', 'ssh h -t sleep 600', 'setarch -R sleep 600'])(
    'stops %j',
    (line) => {
      expect(judgeSleep(line)).toMatchObject({ blocked: true });
    },
  );
});
