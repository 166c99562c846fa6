/** Programs that run others by an option, by a text in their arguments or input, or by a variable. */
import { describe, expect, it } from 'vitest';
import { judgeCall, type ApprovalRules } from '../../../electron/engine/permissions/judge-call';
import { shellRisk } from '../../../electron/engine/shell-policy/shell-risk';

const judged = (
  line: string,
  rule: string,
  { does = 'deny', mode = 'off' }: { does?: 'deny' | 'allow'; mode?: ApprovalRules['mode'] } = {},
): string =>
  judgeCall(
    { tool: 'shell.shell', purity: 'side_effect', hasEffects: true, risk: shellRisk(line) },
    { mode, tools: { [`shell.shell ${rule}`]: does } },
    () => false,
  ).kind;

describe('a rule that denies rm', () => {
  it.each([
    // Options that take a command, also behind programs whose plain arguments are names.
    ...["ag --pager 'rm x' y", "bat --pager 'rm x' f", "ack --pager 'rm x' y", "nano -s 'rm x' f"],
    ...["nano --speller 'rm x' f", 'mypy --python-executable rm x', 'just --shell rm x'],
    ...["just -c 'rm x'", 'wget --use-askpass rm u', "wget --execute='use_askpass=rm' u"],
    ...["rclone --password-command 'rm x' ls a:", "rclone serve sftp --auth-proxy 'rm x' a:"],
    ...["yt-dlp --exec 'rm x' u", 'aria2c --on-download-complete rm u', "cdk --app 'rm x' ls"],
    ...['helm template x --post-renderer rm', "gcloud compute ssh h --command 'rm x'"],
    ...["az vm run-command invoke --scripts 'rm x'", "flyctl ssh console -C 'rm x'"],
    ...["go build -ldflags='-extld rm' .", "duplicity --rsync-options='-e rm' a b"],
    ...["strace -o '|rm x' ls", "strace -fo'|rm x' ls", "ltrace -o '!rm x' ls"],
    ...["cargo watch -s 'rm x'", 'cargo watch -- rm x', "cargo +nightly watch --shell 'rm x'"],
    ...["rpm --eval '%(rm x)'", "rpm -E '%(rm x)'", "rpm --define '_x %(rm y)' -q z"],
    ...['rpm --eval \'%{lua:os.execute("rm x")}\'', "rpmspec --eval '%(rm x)'"],
    ...[
      "make 'X!=rm x'",
      "make 'X=$(shell rm x)'",
      "make .SHELLFLAGS='-c rm'",
      "make -f - <<< 'x'",
    ],
    ...["make MAKEFLAGS='--eval=$(shell rm x)'", 'make -f- <<E\nx:\n\trm y\nE'],
    ...[
      'sqlite3 a ".once \'|rm x\'"',
      "sqlite3 a '.output |rm x'",
      'sqlite3 a \'.import "|rm x" t\'',
    ],
    ...["sqlite3 a \"select edit('x','rm')\"", "sqlite3 a '.load ./x'", "duckdb a '.shell rm x'"],
    ...["psql -c '\\o |rm x'", "mysql -e 'system rm x'", "rsync -M--rsync-path='rm x' a b"],
    ...["sftp -D 'rm x' h", 'npm config set script-shell rm', 'npm set script-shell=rm'],
    ...['aws configure set credential_process rm', "deno task --eval 'rm x'"],
    // What a repository or a folder of templates may name.
    ...['git diff --ext-diff', 'git log -p --ext-diff', 'git show --textconv HEAD:x'],
    ...[
      'git cat-file --filters HEAD:x',
      'git clone --template DIR a b',
      'git clone --templ=DIR a b',
    ],
    ...['git init --template DIR', 'GIT_TEMPLATE_DIR=d git init'],
    // Wrappers.
    ...['opam exec -- rm x', 'stack exec rm -- x', 'cabal exec -- rm x', 'composer exec rm x'],
    ...['mamba run -n x rm y', 'railway run rm x', 'lein shell rm x', "mix cmd 'rm x'"],
    ...['podman unshare rm x', 'buildah unshare rm x', "firebase emulators:exec 'rm x'"],
    ...['launchctl asuser 501 rm x', 'launchctl submit -l x -- rm y', 'brew bundle exec rm x'],
    ...['podman machine ssh rm x', "brew sh -c 'rm x'", 'bun run rm x', 'fly ssh console -C rm'],
    ...["watchexec 'rm x'", "rush 'rm {}' < f", 'docker-compose run a rm x'],
    // Text that a program runs.
    ...['awk \'BEGIN { system("/bin/rm x") }\'', 'awk \'{ print | "rm x" }\' f'],
    ...[
      'awk \'BEGIN { while (("rm x" | getline l) > 0) print l }\'',
      'gawk \'{ print |& "rm x" }\'',
    ],
    ...['perl -e \'system "rm x"\'', "perl -ne '`rm x`' f", "perl -e 'system(qw(rm x))'"],
    ...["perl -e 'qx{rm x}'", 'perl -e \'open(F, "rm x|")\'', "ruby -e '%x(rm x)'"],
    ...['ruby -e \'IO.popen("rm x")\'', 'php -r \'passthru("rm x");\'', "php -r '`rm x`;'"],
    ...[
      'python3 -c \'import os; os.system("rm x")\'',
      'python3.12 -c \'import os; os.popen("rm x")\'',
    ],
    ...['python3 -c \'import subprocess; subprocess.run(["rm", "x"])\''],
    ...['node -e \'require("child_process").spawn("rm", ["x"])\'', "zx --eval '$`rm x`'"],
    ...['node -pe \'require("child_process").execSync(`rm x`)\'', 'lua -e \'io.popen("rm x")\''],
    ...[
      'deno eval \'new Deno.Command("rm")\'',
      'Rscript -e \'system("rm x")\'',
      "julia -e 'run(`rm x`)'",
    ],
    ...['erl -eval \'os:cmd("rm x")\'', 'emacsclient -e \'(shell-command "rm x")\''],
    ...['sbcl --eval \'(run-program "rm")\'', 'gnuplot -e \'system("rm x")\'', "dc -e'!rm x'"],
    ...[
      "bmake -V '${:!rm x!}'",
      'mutt -e \'set editor="rm x"\'',
      'mix run -e \'System.cmd("rm")\'',
    ],
    // The same from its input.
    ...[
      "dc <<< '!rm x'",
      "echo '!rm x' | dc",
      "ed f <<< '1r !rm x'",
      "printf '!rm x\\nq\\n' | ed f",
    ],
    ...["ex -s f <<< '%!rm x'", "gdb a <<< 'shell rm x'", "sqlite3 a <<< '.shell rm x'"],
    ...["psql << 'E'\n\\! rm x\nE", "psql << 'E'\ncopy t from program 'rm x';\nE"],
    ...[
      "mysql <<< 'pager rm x'",
      "mail x <<< '~!rm x'",
      "sftp h <<< '!rm x'",
      "lftp h <<< '!rm x'",
    ],
    ...["tclsh <<< 'exec rm x'", "expect << 'E'\nspawn rm x\nE", 'octave <<< \'system("rm x")\''],
    ...["python3 - << 'E'\nimport subprocess\nsubprocess.run([\n  'rm',\n  'x',\n])\nE"],
    ...["cat << 'E' | python3\nimport os\nos.system('cd a && rm x')\nE"],
    ...["cat << 'E' | node\nrequire('child_process').execSync('rm x')\nE"],
    ...['timeout 5 python3 <<< \'import os; os.system("rm x")\''],
    // Variables of the environment.
    ...["CC='rm x' make", 'RUSTC_WRAPPER=rm cargo build', 'GOFLAGS=-toolexec=rm go build'],
    ...["export TEXEDIT='rm x'; tex y", 'env RUBYSHELL=/bin/rm ruby y'],
    ...['BASH_CMDS[ls]=/bin/rm; ls x', "BASH_ALIASES[ls]='rm x'"],
    // The quotes shift behind two dollar signs.
    'printf "$$(x"\'$(rm m)\'")"',
    // Here quotes are plain characters, or what they hold is expanded once more.
    ...["cat << E\n${x-'$(rm y)'}\nE", "cat << E\n${x-'} `rm y` '}\nE", 'echo "${x-$\'$(rm y)\'}"'],
    'echo "${x-$\'\\x24(rm y)\'}"',
    ...['echo ${!-$(rm x)}', 'echo ${!?`rm x`}', 'echo ${!#<(rm x)}'],
    'echo $"${x-$\'$(rm y)\'}"',
  ])('F8 holds for %j', (line) => {
    expect(judged(line, 'rm')).not.toBe('allow');
  });

  it.each([
    ...['git diff', 'git show HEAD:x', 'git init --template= d', "git log --grep='rm x'"],
    ...["git commit -m 'Do not run `rm x`'", 'git commit -F - << E\nsystem("rm x")\nE'],
    ...["gh pr create --title 'rm x' --body 'Runs `rm x`, see system(\"rm x\")'"],
    ...['curl -d \'{"cmd":"rm x"}\' localhost', "sed -i 's/`rm x`/`del x`/' README.md"],
    ...["cat > a.py << 'E'\nos.system('rm x')\nE", "tee a.sh << 'E'\nrm x\nE"],
    ...[
      "apply_patch << 'E'\n+system('rm x') `rm x` $(rm x)\nE",
      "patch -p1 << 'E'\n+os.system('rm x')\nE",
    ],
    ...["python3 - << 'E'\ns = s.replace('Run `rm x`', 'rm x')\nE", 'python3 -c \'print("rm x")\''],
    ...[
      'node -e \'console.log(process.argv, "rm x")\'',
      "awk '{print $1}' rm",
      'cargo run -- rm x',
    ],
    ...['svn rm x', 'hg rm x', 'docker-compose rm a', 'npm run rm', 'cargo watch -x test'],
    ...[
      'make -f Makefile.dev',
      'make CC=gcc test',
      "sqlite3 a '.tables'",
      "sqlite3 a '.mode json'",
    ],
    ...[
      "psql -c 'select a || b from t'",
      'strace -o out ls',
      'nano f',
      'rpm -qa',
      "dc -e '1 2 + p'",
    ],
    ...[
      'CC=gcc make',
      'export NODE_ENV=test; npm test',
      'echo $$ > a.$$.log',
      'npm config get git',
    ],
    ...["cat << 'E'\n${x-'$(rm y)'}\nE", "cat << E\n$(printf '$(rm x)') don't\nE"],
    ...['python3.12 a.py rm', 'opam exec -- dune build', 'aws configure list', 'deno task rm'],
  ])('F8 has nothing to do with %j', (line) => {
    expect(judged(line, 'rm')).toBe('allow');
  });
});

describe('a rule for one command of a program', () => {
  const run = (code: string): string =>
    `python3 - << 'E'\nimport subprocess\nsubprocess.run(${code})\nE`;

  it.each([
    run('["git", "push", "origin"]'),
    run('["git", "-C", d, "push"]'),
    run('["git", *args]'),
    run('["git"] + args'),
    run("'git ' + verb, shell=True"),
    run("f'git {verb}', shell=True"),
    'some-wrapper git push',
    'some-wrapper git $X',
    "some-wrapper 'git push'",
    'node -e \'require("child_process").execSync(`git ${x}`)\'',
  ])('F8 holds for %j, which may be a push', (line) => {
    expect(judged(line, 'git push')).toBe('ask');
  });

  it.each([
    run('["git", "status", "--short"]'),
    run("['git', 'log', '--oneline']"),
    'some-wrapper git status',
    'node -e \'require("child_process").execSync("git status")\'',
  ])('F8 leaves alone %j, which is another one', (line) => {
    expect(judged(line, 'git push')).toBe('allow');
    expect(judged(line, 'git')).toBe('ask');
  });
});

describe('a rule for a program', () => {
  it.each([
    ...[
      ['poetry', 'poetry run x'],
      ['uv', 'uv run x'],
      ['bundle', 'bundle exec x'],
      ['conda', 'conda run x'],
    ],
    ...[
      ['cmake', 'cmake -E rm x'],
      ['ip', 'ip netns exec a ls'],
      ['lxc', 'lxc exec a ls'],
      ['heroku', 'heroku run x'],
    ],
    ...[
      ['poetry run', 'poetry run x'],
      ['git submodule', 'git submodule foreach ls'],
    ],
    // As Windows spells them.
    ...[
      ['git push', 'git.exe push'],
      ['npm publish', 'npm.cmd publish'],
    ],
  ] as const)('F8 %j holds for %j', (rule, line) => {
    expect(judged(line, rule)).toBe('deny');
  });

  it('F8 S3-06 a program that reaches other computers does so when it runs one there', () => {
    expect(shellRisk('heroku run ls')).toMatchObject({ isRisky: true, leaves: true });
    expect(shellRisk('docker-compose up')).toMatchObject({ isRisky: true, leaves: true });
  });
});
