import { describe, expect, it } from 'vitest';
import {
  askedText,
  chooseOption,
  commandOf,
  identityText,
  mergeReport,
  purityOfKind,
  riskOfCall,
  toolOf,
  type CallState,
} from '../../../electron/engine/executors/acp/facts';
import { isWithin } from '../../../electron/engine/executors/program/edit-risk';
import { claudeCall } from '../../../electron/engine/executors/command/call';
import { readReport } from '../../../electron/adapters/acp/read-report';
import { shellRisk } from '../../../electron/engine/shell-policy/shell-risk';
import type { ExternalToolKind } from '../../../electron/ports/external-agent';

const call = (extra: Partial<CallState> = {}): CallState => ({
  callId: 'a',
  title: 'bash',
  name: undefined,
  kind: 'execute',
  status: 'pending',
  input: undefined,
  output: undefined,
  files: [],
  ...extra,
});
const harmless = { isRisky: false, reason: '', covers: '' };

describe('what an agent reports', () => {
  it('a status never goes back, and nothing that was said is forgotten', () => {
    const known = call({ status: 'in_progress', input: { command: 'ls' } });
    expect(mergeReport(known, { callId: 'a', status: 'pending', title: 'ls' })).toEqual({
      ...known,
      title: 'ls',
    });
    const done = mergeReport(known, { callId: 'a', status: 'completed', output: 'x' });
    expect(mergeReport(done, { callId: 'a', status: 'failed' })).toMatchObject({
      status: 'completed',
      output: 'x',
    });
  });

  it.each<[ExternalToolKind, string]>([
    ['read', 'world'],
    ['search', 'world'],
    ['think', 'world'],
    ['fetch', 'world'],
    ['edit', 'side_effect'],
    ['delete', 'side_effect'],
    ['move', 'side_effect'],
    ['execute', 'side_effect'],
    ['switch_mode', 'side_effect'],
    ['other', 'side_effect'],
  ])('S4-20 a call of kind %s is %s', (kind, purity) => {
    expect(purityOfKind(kind)).toBe(purity);
  });

  it.each([
    [call(), 'own_x.shell'],
    [call({ kind: 'edit' }), 'own_x.edit'],
    [call({ kind: 'other', title: 'mcp__mail__send_email' }), 'own_x.send_email'],
    [call({ kind: 'other', title: 'Send a mail to Bob' }), 'own_x.other'],
    [call({ kind: 'other', name: 'mail/send_email', title: 'Mail' }), 'own_x.send_email'],
  ])('S0-12 names a tool as the side-effect list knows it (%#)', (state, name) => {
    expect(toolOf('own.x', state)).toBe(name);
  });

  it('the same command is the same call, whatever the agent adds from message to message', () => {
    const said = [
      call({ input: { command: 'ls', cwd: '/a', description: 'list' } }),
      call({ input: { command: 'ls' }, title: 'ls' }),
      call({ input: { command: ['ls'] } }),
    ];
    expect(new Set(said.map(identityText))).toHaveLength(1);
    expect(identityText(call({ input: { cwd: '/a' }, title: 'rm x' }))).toBe('execute\nrm x');
    expect(identityText(call({ kind: 'edit', input: { path: 'a' } }))).not.toBe(
      identityText(call({ kind: 'edit', input: { path: 'b' } })),
    );
  });

  const shell = (input: object) => call({ input: input as CallState['input'] });
  const tool = (name: string, input: object) =>
    call({ kind: 'other', name, input: input as CallState['input'] });
  it.each([
    ['tool', tool('a__read', { id: 42 }), tool('a__pay', { id: 42 })],
    ['server', tool('mcp__a__read', { id: 42 }), tool('mcp__b__read', { id: 42 })],
    ['folder', shell({ command: 'rm -rf x', cwd: '/w' }), shell({ command: 'rm -rf x', cwd: '/' })],
    ['folder', shell({ command: 'rm -rf x' }), shell({ command: 'rm -rf x', workdir: '/home' })],
    [
      'folder of two',
      shell({ command: 'rm -rf x', cwd: '/w', dir: '/a' }),
      shell({ command: 'rm -rf x', dir: '/a' }),
    ],
    ['host', shell({ command: 'ls', host: 'a' }), shell({ command: 'ls', host: 'b' })],
    [
      'description that is its content',
      tool('t__create_issue', { title: 'x', description: 'a typo' }),
      tool('t__create_issue', { title: 'x', description: 'all passwords' }),
    ],
    ['timeout of a tool', tool('t__lock', { timeout: 1 }), tool('t__lock', { timeout: 9 })],
    [
      'server with a tool that runs commands',
      call({ name: 'mcp__a__run', input: { command: 'ls' } }),
      call({ name: 'mcp__b__run', input: { command: 'ls' } }),
    ],
    [
      'server whose name is only in the title',
      call({ title: 'a/run', input: { command: 'ls' } }),
      call({ title: 'b/run', input: { command: 'ls' } }),
    ],
    [
      'file that only the report names',
      call({ kind: 'edit', title: 'Edit', files: ['/w/a'] }),
      call({ kind: 'edit', title: 'Edit', files: ['/w/b'] }),
    ],
    [
      'agent’s name for it',
      call({ kind: 'delete', name: 'a' }),
      call({ kind: 'delete', name: 'b' }),
    ],
  ])('S3-07 an answer to a call is not for one with another %s', (_, one, other) => {
    expect(askedText('own', one, '/w')).not.toBe(askedText('own', other, '/w'));
  });

  it.each([
    [shell({ command: 'ls' }), shell({ command: 'ls', cwd: '/w/', description: 'list' })],
    [shell({ command: 'ls', timeout: 5 }), call({ input: { command: 'ls' }, title: '`ls`' })],
    [shell({ command: 'ls', call_id: '1' }), shell({ command: 'ls', call_id: '2', cwd: '.' })],
    [tool('a', { x: 1, y: 2 }), tool('a', { y: 2, x: 1 })],
  ])('S3-07 an answer is for the same call when an agent asks again (%#)', (one, other) => {
    expect(askedText('own', one, '/w')).toBe(askedText('own', other, '/w'));
  });

  it.each([
    ['ls -l', 'ls -l'],
    [['/bin/bash', '-lc', 'git push && rm x'], 'git push && rm x'],
    [['sh', '-c', "echo 'a b' > c"], "echo 'a b' > c"],
    [['git', 'push', 'origin'], 'git push origin'],
    [['echo', 'a; rm -r b', "it's"], `echo 'a; rm -r b' 'it'\\''s'`],
    [['bash', 'run.sh', 'x'], 'bash run.sh x'],
    [[], undefined],
    [['ls', 7], undefined],
  ])('S3-06 the command of %j is %s', (command, line) => {
    expect(commandOf(call({ input: { command } }))).toBe(line);
  });

  it('S3-06 a push that is handed to a shell as a list of words is judged as a push', () => {
    const asked = call({ input: { command: ['/bin/bash', '-lc', 'git push origin main'] } });
    expect(riskOfCall(asked, shellRisk, '/w').isRisky).toBe(true);
  });

  it.each([
    [{ commands: ['git push'] }, 'git push'],
    [{ commands: ['git push', 'rm -rf /'] }, undefined],
    [{ commands: ['git pull'] }, undefined],
    [{ commands: 'rm -rf /' }, undefined],
    [{ stdin: 'rm -rf /' }, undefined],
  ])(
    'S3-06 with %j beside it, as Copilot 1.0.102 lists it again, the command is %s',
    (more, line) => {
      expect(commandOf(call({ input: { command: 'git push', ...more } }))).toBe(line);
    },
  );

  it('what is not told is not trusted', () => {
    const risk = (state: CallState) => riskOfCall(state, () => harmless, '/w').isRisky;
    expect(risk(call())).toBe(true);
    expect(risk(call({ input: { command: 'ls' } }))).toBe(false);
    expect(risk(call({ kind: 'other' }))).toBe(true);
    expect(risk(call({ kind: 'delete' }))).toBe(true);
    expect(risk(call({ kind: 'edit' }))).toBe(true);
  });

  const facts = {
    workspace: '/w',
    agentHosts: [],
    shell: { hasEffects: () => true, riskOf: () => harmless, refusedIn: () => undefined },
  };

  it.each([
    ['/w/a.ts', false],
    ['a.ts', false],
    ['sub/a.ts', false],
    ['/w', false],
    ['/etc/hosts', true],
    ['/wx/a.ts', true],
    ['../a.ts', true],
    ['/w/../etc/hosts', true],
    ['~/.bashrc', true],
    ['', true],
  ])('S3-06 an edit of %j is judged alike by ACP and as a command: risky %s', (file, isRisky) => {
    const acp = (state: Partial<CallState>) =>
      riskOfCall(call({ kind: 'edit', ...state }), () => harmless, '/w');
    expect(acp({ files: [file] }).isRisky).toBe(isRisky);
    expect(acp({ input: { file_path: file } })).toEqual(acp({ files: [file] }));
    expect(acp({ input: { edits: [{ filePath: file }] } }).isRisky).toBe(isRisky);
    expect(acp({ files: ['/w/b.ts', file] }).isRisky).toBe(isRisky);
    expect(claudeCall('Edit', { file_path: file }, facts)?.risk.isRisky).toBe(isRisky);
  });

  it.each([
    [{ path: '.bashrc', cwd: '/home/me' }, true],
    [{ path: 'a', working_directory: '..' }, true],
    [{ path: 'a', workingDirectory: '~' }, true],
    [{ path: 'a', cwd: '$HOME' }, true],
    [{ path: 'a', cwd: ['/home/me'] }, true],
    [{ path: 'a', options: { cwd: '/home/me' } }, true],
    [{ path: 'a', cwd: '/w', dir: '/home/me' }, true],
    [{ path: '/w/a', cwd: '/home/me' }, false],
    [{ path: 'a', cwd: '/w/sub/' }, false],
    [{ path: 'a', cwd: 'sub' }, false],
    [{ path: 'a', cwd: null }, false],
  ])('S3-06 an edit %j is judged from the folder of the call: risky %s', (input, isRisky) => {
    const risk = riskOfCall(call({ kind: 'edit', input }), () => harmless, '/w');
    expect(risk.isRisky).toBe(isRisky);
    const { path: file_path, ...rest } = input;
    expect(claudeCall('Edit', { file_path, ...rest }, facts)?.risk.isRisky).toBe(isRisky);
  });

  it.each([
    ['file:///w/a.ts', true],
    ['file:///w/a%20b.ts', true],
    ['file://localhost/w/a.ts', true],
    ['FILE:/w/a.ts', true],
    ['file:/etc/passwd', false],
    ['file://localhost/etc/passwd', false],
    ['file://w/a.ts', false],
    ['file:///w/%2e%2e/%2e%2e/etc/passwd', false],
    ['file:///w/%252e%252e/%252e%252e/etc/passwd', false],
    ['file:///w/..%5c..%5cetc', false],
    ['file:///%65tc/passwd', false],
    ['file:///w/%zz', false],
    ['fi\nle:///etc/passwd', false],
    [' file:///etc/passwd', false],
    ['https://x.example/a', false],
    ['vscode-remote://host/w/a', false],
  ])('S3-06 %j is inside of /w: %s', (file, isInside) => {
    expect(isWithin(file, '/w')).toBe(isInside);
  });

  it('S3-06 a command in a folder outside is risky, and no leave for its program covers it', () => {
    const risk = (cwd?: string) =>
      riskOfCall(
        shell({ command: 'rm -rf build', ...(cwd === undefined ? {} : { cwd }) }),
        shellRisk,
        '/w',
      );
    expect([risk().covers, risk('/w').covers, risk('sub').covers]).toEqual(['rm', 'rm', 'rm']);
    for (const cwd of ['/home/me', '..', '~', '/wx', '/w/../x', '$HOME']) {
      expect(risk(cwd)).toMatchObject({ isRisky: true });
      expect(risk(cwd).covers).toMatch(/^in ".+": rm -rf build$/);
      expect(risk(cwd).parts?.map(({ isPlain }) => isPlain)).toEqual([false]);
    }
    const test = shell({ command: 'npm test', cwd: '/home/me' });
    expect(riskOfCall(test, shellRisk, '/w').isRisky).toBe(true);
    const bash = claudeCall('Bash', { command: 'npm test', cwd: '/home/me' }, facts);
    expect(bash?.risk.isRisky).toBe(true);
  });

  it('S3-06 a move counts with both of its ends', () => {
    const move = (input: CallState['input']) =>
      riskOfCall(call({ kind: 'move', input }), () => harmless, '/w').isRisky;
    expect(move({ from: '/w/a', to: '/w/b' })).toBe(false);
    expect(move({ from: '/w/a', to: '/tmp/b' })).toBe(true);
    expect(move({ source: '/etc/passwd', destination: 'a' })).toBe(true);
  });

  it('S3-06 the files of a call are those of all its messages, of its locations and differences', () => {
    const told = readReport({
      toolCallId: 'a',
      kind: 'edit',
      locations: [{ path: '/w/a' }, { line: 3 }],
      content: [{ type: 'diff', path: '/etc/x', newText: '' }],
    });
    expect(told?.files).toEqual(['/w/a', '/etc/x']);
    expect(mergeReport(call({ files: ['/w/b'] }), told ?? { callId: 'a' }).files).toEqual([
      '/w/b',
      '/w/a',
      '/etc/x',
    ]);
    const long = { toolCallId: 'a', locations: [{ path: 'x'.repeat(5_000) }] };
    expect(readReport(long)?.files).toEqual(['..']);
  });
});

describe('the option of an answer', () => {
  it('is chosen by what an option means, never by its id', () => {
    const options = [
      { id: 'reject', kind: 'allow_always', name: '' },
      { id: 'allow', kind: 'reject_once', name: '' },
      { id: 'x', kind: 'allow_once', name: '' },
    ] as const;
    expect(chooseOption(options, true)).toBe('x');
    expect(chooseOption(options, false)).toBe('allow');
    expect(chooseOption([], true)).toBeUndefined();
    expect(chooseOption(options.slice(0, 1), false)).toBeUndefined();
  });
});
