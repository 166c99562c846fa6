import { describe, expect, it } from 'vitest';
import {
  chooseOption,
  commandOf,
  identityText,
  mergeReport,
  purityOfKind,
  riskOfCall,
  toolOf,
  type CallState,
} from '../../../electron/engine/executors/acp/facts';
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
