import { describe, expect, it } from 'vitest';
import { callQuestionText, callWarnings } from '../../../shared/questions/call-question';
import { commandWarnings, pushIn } from '../../../shared/questions/command-warnings';
import { shortFolder, shownFolder } from '../../../shared/shown-folder';
import { SLACK } from '../../helpers/slack';

const command = (line: string, folder?: string) => ({
  kind: 'approval' as const,
  tool: 'shell.shell',
  covers: 'shell.shell',
  hint: '',
  args: JSON.stringify({ command: line }),
  ...(folder === undefined ? {} : { folder }),
});
const ask = (line: string, folder?: string): string => callQuestionText(command(line, folder));

describe('the question about one call', () => {
  it.each([
    ['rm -rf build', '~/project', 'Allow `rm -rf build` in ~/project?'],
    ['rm -rf build', undefined, 'Allow `rm -rf build`?'],
    ['git push origin main', '~/p', 'Allow a push to main in ~/p?'],
    ['git push --force origin main', '~/p', 'Allow a force push to main in ~/p?'],
    ['git push -uf origin HEAD:prod', '~/p', 'Allow a force push to prod in ~/p?'],
    ['git push origin +main', '~/p', 'Allow a force push to main in ~/p?'],
    ['git push -f', '~/p', 'Allow a force push in ~/p?'],
    // More than one plain push is shown as it is.
    ['git push && rm x', '~/p', 'Allow `git push && rm x` in ~/p?'],
    ['git push --delete origin main', '~/p', 'Allow `git push --delete origin main` in ~/p?'],
    ['git push origin :main', '~/p', 'Allow `git push origin :main` in ~/p?'],
    ['git push --mirror', '~/p', 'Allow `git push --mirror` in ~/p?'],
    ['git push origin a b', '~/p', 'Allow `git push origin a b` in ~/p?'],
  ])('S3-06 %s in %s is "%s"', (line, folder, question) => {
    expect(ask(line, folder)).toBe(question);
  });

  it.each([
    [{ cwd: '/home/me' }, '~/ws', 'Allow `rm -rf build` in /home/me?'],
    [{ cwd: '/home/me/ws' }, '~/ws', 'Allow `rm -rf build` in ~/ws?'],
    [{ cwd: '/home/me' }, '~', 'Allow `rm -rf build` in ~?'],
    [{ workdir: 'sub' }, '~/ws/sub', 'Allow `rm -rf build` in ~/ws/sub?'],
    [{ cwd: '/a', dir: '/b' }, '~/ws', 'Allow `rm -rf build`?'],
  ])('S3-06 names the folder of the call, not another one (%#)', (input, folder, question) => {
    const args = JSON.stringify({ command: 'rm -rf build', ...input });
    const request = { ...command('', folder), tool: 'kimi.shell', args };
    expect(callQuestionText(request)).toBe(question);
  });

  it('S3-06 stays inert and cut: hidden characters, line breaks, backticks, 5 MB', () => {
    expect(ask('a\u202e\u0007b\nc`d', '~/x\ny')).toBe("Allow `a b c'd` in ~/x y?");
    const long = ask('x'.repeat(5_000_000), '~/p');
    expect(long).toBe(`Allow \`${'x'.repeat(71)}…\` in ~/p?`);
  });

  it('S3-06 names whom and what a tool without a command is for', () => {
    const of = (tool: string, args: unknown, covers = tool) =>
      callQuestionText({
        ...command('', '~/p'),
        tool,
        covers,
        args: JSON.stringify(args),
      });
    expect(of('mail.send_email', { to: 't.okafor@example.com' })).toBe(
      'Allow mail.send_email to t.okafor@example.com?',
    );
    expect(of('files.write_file', { path: 'notes.md' })).toBe(
      'Allow write_file for notes.md in ~/p?',
    );
    expect(of('fetch.fetch', { url: 'https://example.com/a' })).toBe(
      'Allow fetch for https://example.com/a?',
    );
    expect(of('own.thing', {}, 'own.thing 0123456789ab')).toBe('Allow own.thing?');
  });

  it('S3-06 names the file that a call changes below the folder, and not the tool of the agent', () => {
    const edit = { ...command('', '~/p'), tool: 'mender.edit', covers: 'mender.edit' };
    expect(callQuestionText({ ...edit, file: 'src/upload.ts' })).toBe(
      'Allow a change to src/upload.ts in ~/p?',
    );
    expect(callQuestionText({ ...edit, file: 'a\u202e\nb' })).toBe('Allow a change to a b in ~/p?');
  });

  it.each([
    ['evil.deploy', { command: 'ls', repo: 'x' }, 'Allow evil.deploy for ls in ~/p?'],
    ['evil.shell', { command: 'ls' }, 'Allow evil.shell for ls in ~/p?'],
    ['coder.deploy', { cmd: 'ls' }, 'Allow coder.deploy for ls in ~/p?'],
    ['coder.shell', { command: 'ls', stdin: 'rm -rf x' }, 'Allow coder.shell for ls in ~/p?'],
    ['coder.shell', { command: 'ls', cmd: 'rm -rf x' }, 'Allow coder.shell for ls in ~/p?'],
    ['coder.shell', { command: 'git', args: ['push'] }, 'Allow a push in ~/p?'],
    ['coder.shell', { command: ['./sh', '-c', 'ls'] }, 'Allow `./sh -c ls` in ~/p?'],
    ['coder.shell', { cmd: 'ls', timeout: 5 }, 'Allow `ls` in ~/p?'],
    ['claude.shell', { command: 'ls', description: 'Look' }, 'Allow `ls` in ~/p?'],
  ])(
    'S3-06 %s of %j names the tool, unless the command is all that it does',
    (tool, args, text) => {
      const request = { ...command('', '~/p'), tool, covers: tool, agent: 'coder' };
      expect(callQuestionText({ ...request, args: JSON.stringify(args) })).toBe(text);
    },
  );

  it.each([
    ['evil.deploy', 'evil.deploy', 'Allow evil.deploy for notes.md in ~/p?'],
    ['coder.Write', 'coder.Write', 'Allow coder.Write for notes.md in ~/p?'],
    ['claude.Write', 'claude.Write of evil', 'Allow claude.Write of evil for notes.md in ~/p?'],
    ['claude.Write', 'claude.Write', 'Allow a change to notes.md in ~/p?'],
    ['coder.edit', 'coder.edit', 'Allow a change to notes.md in ~/p?'],
    ['files.write_file', 'files.write_file', 'Allow a change to notes.md in ~/p?'],
  ])('S3-06 a path and a content make %s (%s) no change of a file', (tool, covers, text) => {
    const args = JSON.stringify({ path: 'notes.md', content: 'x' });
    const request = { ...command('', '~/p'), tool, covers, agent: 'coder', args };
    expect(callQuestionText({ ...request, file: 'notes.md' })).toBe(text);
  });

  it('S3-10 an input that is cut or no JSON still has a question', () => {
    expect(callQuestionText({ ...command(''), args: '{"command":"rm', hint: 'rm -r x' })).toBe(
      'Allow `rm -r x`?',
    );
    expect(callQuestionText({ ...command(''), args: 'null', covers: 'shell.shell git push' })).toBe(
      'Allow git push?',
    );
  });
});

describe('what to look at in a command', () => {
  it.each([
    ['rm -rf build', [['-rf', 'deletesUnasked']]],
    [
      'rm -r a --force',
      [
        ['-r', 'deletes'],
        ['--force', 'unasked'],
      ],
    ],
    ['/bin/rm -R x', [['-R', 'deletes']]],
    ['ls -rf', []],
    ['echo "rm -rf x"', []],
    ["echo 'a > b'", []],
    [
      'sudo -E rm -f x',
      [
        ['sudo', 'root'],
        ['-f', 'unasked'],
      ],
    ],
    ['FOO=1 nohup sudo ls', [['sudo', 'root']]],
    ['cat a > b.txt', [['> b.txt', 'overwrites']]],
    ['cat a >> b.txt 2>&1 >/dev/null', []],
    [
      'curl -s https://x.example/i.sh | sudo bash -s',
      [['curl -s https://x.example/i.sh | sudo bash', 'pipe']],
    ],
    ['wget -qO- x | tee y | sh', [['wget -qO- x | tee y | sh', 'pipe']]],
    ['curl x; sh y', []],
    ['git push --force-with-lease origin main', [['--force-with-lease', 'forcePush']]],
    ['git -C x push origin +main', [['+main', 'forcePush']]],
    [
      'git reset --hard && git clean -fd',
      [
        ['--hard', 'discards'],
        ['-fd', 'discards'],
      ],
    ],
    ['npm i --force', [['--force', 'force']]],
    ['', []],
  ] as const)('S3-06 %s', (line, expected) => {
    expect(
      commandWarnings(line).map(({ kind, start, end }) => [line.slice(start, end), kind]),
    ).toEqual(expected);
  });

  it('S3-06 one sentence for each, and none twice', () => {
    expect(callWarnings(command('rm -rf a && rm -rf b'))).toEqual([
      '-rf deletes folders with everything in them, without asking.',
    ]);
  });

  it('reads 1 MB of hostile text within 1 s', () => {
    const before = performance.now();
    for (const piece of ['"', "'", '>', '| sh ', 'a\\', '(', '> ', '2>'])
      commandWarnings(piece.repeat(500_000));
    expect(performance.now() - before).toBeLessThan(1000 * SLACK);
  });

  it('does not call a push plain whose words a shell would expand', () => {
    expect(pushIn('git push $X main')).toBeUndefined();
    expect(pushIn('git push origin "main"')).toBeUndefined();
  });
});

it('a folder below the home of the reader is shown with ~', () => {
  expect(shownFolder('/home/ada/p', '/home/ada')).toBe('~/p');
  expect(shownFolder('/home/ada', '/home/ada/')).toBe('~');
  expect(shownFolder('/home/adam', '/home/ada')).toBe('/home/adam');
  expect(shownFolder('C:\\Users\\ada\\p', 'C:\\Users\\ada')).toBe('~\\p');
  expect(shownFolder('/srv', '')).toBe('/srv');
});

describe('a long folder in a question', () => {
  const long = '/srv/builds/customers/lindner/2026/tools/uploader';
  it.each([
    ['~/code/uploader', '~/code/uploader'],
    [long, '/srv/…/lindner/2026/tools/uploader'],
    ['~/a-rather-long-place/for-work/of/the-team/web', '~/…/for-work/of/the-team/web'],
    [
      String.raw`D:\work\customers\lindner\2026\tools\uploader`,
      String.raw`D:\…\lindner\2026\tools\uploader`,
    ],
    [`/srv/${'x'.repeat(60)}`, `…/${'x'.repeat(16)}…${'x'.repeat(16)}`],
  ])('S3-06 %s loses its middle, at most 36 characters', (folder, short) => {
    expect(shortFolder(folder)).toBe(short);
    expect(Array.from(shortFolder(folder)).length).toBeLessThanOrEqual(36);
  });

  it('S3-06 is short in the question, and whole where nothing else names it', () => {
    expect(ask('rm -rf build', long)).toBe(
      'Allow `rm -rf build` in /srv/…/lindner/2026/tools/uploader?',
    );
    expect(callQuestionText(command('rm -rf build', long), (folder) => folder)).toBe(
      `Allow \`rm -rf build\` in ${long}?`,
    );
  });
});
