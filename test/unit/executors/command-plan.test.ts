import { quoted, reasonText } from '../../../shared/reason';
import { describe, expect, it } from 'vitest';
import { readClaudeLine } from '../../../electron/adapters/command/claude-stream';
import { shellWord } from '../../../electron/adapters/command/index';
import { claudeCall } from '../../../electron/engine/executors/command/call';
import {
  canHook,
  endingWords,
  failureOf,
  planCommandLine,
  planEnd,
  planStart,
  settledText,
  processTool,
  resultOf,
  resumePrompt,
} from '../../../electron/engine/executors/command/plan';
import { toolOf } from '../../../electron/engine/executors/acp/facts';
import { isListed } from '../../../electron/engine/journal/side-effect-list';
import type { LedgerLine } from '../../../electron/engine/recovery/ledger';
import { judgeCall } from '../../../electron/engine/permissions/judge-call';
import { hasShellEffects } from '../../../electron/engine/shell-policy/shell-effects';
import { shellRisk } from '../../../electron/engine/shell-policy/shell-risk';

const facts = {
  workspace: '/w',
  agentHosts: [],
  shell: {
    hasEffects: hasShellEffects,
    riskOf: shellRisk,
    refusedIn: (tool: string) => (tool === 'box.run' ? 'It only waits.' : undefined),
  },
};

describe('S4-20 a call of Claude Code', () => {
  it.each([
    ['Read', { file_path: '/w/a' }, 'world', false],
    ['Grep', { pattern: 'x' }, 'world', false],
    ['Bash', { command: 'ls -l' }, 'world', false],
    ['Bash', { command: 'rm -rf x' }, 'side_effect', true],
    ['Bash', { command: 'if then' }, 'side_effect', true],
    ['Edit', { file_path: '/w/a' }, 'side_effect', false],
    ['Write', { file_path: '/etc/passwd' }, 'side_effect', true],
    ['Write', { file_path: '/w/../etc/passwd' }, 'side_effect', true],
    ['mcp__mail__send', {}, 'side_effect', true],
    ['NobodyKnowsIt', {}, 'side_effect', true],
  ])('%s %o is %s', (name, input, purity, isRisky) => {
    const call = claudeCall(name, input, facts);
    expect(call?.purity).toBe(purity);
    if (name !== 'Bash' || purity === 'world') expect(call?.risk.isRisky).toBe(isRisky);
  });

  it.each([
    ['shell', 'deny'],
    ['shell:effects', 'deny'],
    ['claude.shell', 'deny'],
    ['claude.shell:effects', 'deny'],
    ['claude.*', 'deny'],
    ['Bash', 'allow'],
  ])('S3-06 a rule for %s: a command is %s', (name, verdict) => {
    const call = claudeCall('Bash', { command: 'touch a' }, facts);
    const acp = toolOf('claude', { kind: 'execute', name: 'Bash', title: 'touch a' });
    expect(call?.tool).toBe(acp);
    const rules = { mode: 'off', tools: { [name]: 'deny' } } as const;
    expect(call && judgeCall(call, rules, () => false).kind).toBe(verdict);
  });

  it('S1-29 a tool of an MCP server that was declared as a shell passes the same guard', () => {
    const risk = claudeCall('mcp__box__run', { command: 'sleep 60' }, facts)?.risk;
    expect(risk?.refused).toBe('It only waits.');
    expect(claudeCall('mcp__box__look', {}, facts)?.risk.refused).toBeUndefined();
  });

  it('S0-13 of a tool of an MCP server is on the list by its plain and by its qualified name', () => {
    const call = claudeCall('mcp__mail__send', {}, facts);
    expect(call?.tool).toBe('mail.send');
    for (const entry of ['send', 'mail.send'])
      expect(isListed(call?.tool ?? '', true, [entry])).toBe(true);
    expect(claudeCall('mcp__', {}, facts)?.tool).toBe('claude.mcp__');
  });

  it('that only plans is not journaled', () => {
    expect(claudeCall('TodoWrite', {}, facts)).toBeUndefined();
  });
});

describe('the command line of a run', () => {
  const line = (spec: object, prompt = 'do', ref?: string) =>
    planCommandLine({
      spec: { command: 'claude', ...spec },
      dialect: 'claude',
      prompt,
      ref,
      hookArgs: ['--settings', '/s'],
    });

  it('has what the stream needs, once, and the prompt on standard input', () => {
    expect(line({})).toEqual({
      args: ['-p', '--output-format', 'stream-json', '--verbose', '--settings', '/s'],
      input: 'do',
    });
    expect(line({ args: ['--print', '--verbose'] }).args.filter((arg) => arg === '-p')).toEqual([]);
  });

  it('goes on with a conversation by its own flag or by that of the settings', () => {
    expect(line({}, 'do', 'abc').args.slice(-2)).toEqual(['--resume', 'abc']);
    expect(line({ resume_args: ['--from={session}'] }, 'do', 'abc').args.at(-1)).toBe('--from=abc');
  });

  it('never lets a prompt become an option', () => {
    expect(line({ prompt_mode: 'argument' }, '--version').args.at(-1)).toBe(' --version');
  });

  it('is run without our hooks where it brings settings of its own', () => {
    expect(canHook({ command: 'claude', args: ['--settings=x'] }, 'claude')).toBe(false);
    expect(canHook({ command: 'claude' }, 'claude')).toBe(true);
    expect(canHook({ command: 'worker' }, 'plain')).toBe(false);
  });

  it('names the step by the program alone', () => {
    expect(processTool('/usr/local/bin/claude')).toBe('command.claude');
    expect(processTool('C:\\tools\\my agent.exe')).toBe('command.my_agent.exe');
  });
});

it.each([
  ['open', 'ambiguous', 'is not recorded'],
  ['finished', 'confirmed', 'Do not do its work again'],
  ['finished', 'skipped', 'skip what the earlier run'],
  ['finished', 'completed', 'Nothing was changed yet.'],
  ['again', 'failed', 'Nothing was changed yet.'],
  ['finished', 'completed', 'ended with a failure, and what it did before that', true],
])(
  'S4-23 a run after one that is %s (%s) is told: %s',
  (outcome, state, words, isError = false) => {
    const first = { tool: 'command.worker', purity: 'side_effect' };
    const lines = [
      { outcome, first, last: { end: { state, isError } } },
    ] as unknown as LedgerLine[];
    const told = resumePrompt({ prompt: 'do', lines, skipped: new Set(), isContinued: false });
    expect(told).toContain(words);
    expect(told.includes('Nothing was changed yet.')).toBe(words === 'Nothing was changed yet.');
  },
);

describe('the stream of Claude Code', () => {
  it('S0-15 a result counts by its own is_error, whatever its subtype says', () => {
    const [, event] = readClaudeLine(
      JSON.stringify({
        type: 'result',
        subtype: 'success',
        is_error: true,
        api_error_status: 400,
        result: 'API Error: 400',
        session_id: 'a-1',
        usage: { input_tokens: 1 },
      }),
    );
    expect(event).toMatchObject({
      kind: 'answer',
      answer: { isError: true, status: 400, text: 'API Error: 400' },
    });
  });

  it.each([
    '',
    'no json',
    'null',
    '[]',
    '{"type":"assistant"}',
    '{"type":"user","message":{"content":"x"}}',
  ])('gives nothing for %o', (text) => {
    expect(readClaudeLine(text)).toEqual([]);
  });

  it('T6 leaves out a cost that is no amount', () => {
    const line =
      '{"type":"result","result":"x","total_cost_usd":1e400,"usage":{"input_tokens":1e400}}';
    expect(readClaudeLine(line)).toMatchObject([
      { answer: { usage: { inputTokens: 0, outputTokens: 0 } } },
    ]);
    expect(JSON.stringify(readClaudeLine(line))).not.toContain('costUsd');
  });

  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  it.each([
    `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":${deep}}]}}`,
    `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"Odd","input":{"a":${deep}}}]}}`,
  ])('T6 gives nothing for a line that is nested too deeply to be read', (text) => {
    expect(readClaudeLine(text)).toEqual([]);
  });
});

describe('a failing provider behind a program', () => {
  it.each([
    [401, 'config', false],
    [429, 'rate_limited', true],
    [529, 'server', true],
    [400, 'config', false],
  ])('S0-14 %i is %s', (status, kind, isRetryable) => {
    expect(failureOf({ message: 'x', status })).toMatchObject({ kind, isRetryable });
  });
  it('is known by its words where it has no number', () => {
    expect(failureOf({ message: 'Repeated 529 Overloaded errors', status: undefined }).kind).toBe(
      'server',
    );
  });
});

it('a word of a hook reaches a shell unchanged', () => {
  expect(shellWord("/a b/it's $HOME", 'linux')).toBe(`'/a b/it'\\''s $HOME'`);
  expect(shellWord('/plain/path', 'linux')).toBe('/plain/path');
});

describe('how a run of a program ends', () => {
  const exited = { kind: 'exited', code: 0, output: 'out', errors: '' } as const;
  const answer = { text: 'done', isError: false, usage: { inputTokens: 1, outputTokens: 1 } };
  const ended = {
    program: 'command.claude',
    dialect: 'claude',
    end: exited,
    answer: undefined,
    isStopped: false,
    why: undefined,
  } as const;
  const killed = {
    kind: 'killed',
    isOurs: true,
    signal: 'SIGTERM',
    output: '',
    errors: '',
  } as const;
  const limit = { kind: 'limit', reason: quoted('x') } as const;

  it.each([
    ['an answer', { answer }, 'answered'],
    ['an answer, although something behind it was killed', { answer, end: killed }, 'answered'],
    ['an answer, although it was stopped', { answer, isStopped: true }, 'answered'],
    ['an answer that says it failed', { answer: { ...answer, isError: true } }, 'failed'],
    [
      'stopped while it failed',
      { answer: { ...answer, isError: true }, isStopped: true },
      'stopped',
    ],
    ['our limit', { end: killed, why: limit }, 'ended_by_us'],
    ['killed by somebody', { end: killed }, 'killed'],
    ['no program', { end: { kind: 'not_started', message: 'gone' } }, 'not_started'],
    ['a stream without a result', {}, 'failed'],
    ['plain, exit 0', { dialect: 'plain' }, 'answered'],
    ['plain, exit 0, in the moment of a stop', { dialect: 'plain', isStopped: true }, 'answered'],
    ['plain, exit 3', { dialect: 'plain', end: { ...exited, code: 3 } }, 'failed_turn'],
  ] as const)('S0-15 S4-19 %s', (_, more, kind) => {
    expect(planEnd({ ...ended, ...more }).kind).toBe(kind);
  });

  const plainEnd = (errors: string, output = 'Working on it\n') =>
    planEnd({ ...ended, dialect: 'plain', end: { ...exited, code: 1, errors, output } });

  it('LM-02 a program of any kind waits where its last words are a known sentence with a time', () => {
    const said = 'Reading 3 files\nUsage limit reached. Resets in 3h.\n';
    for (const plan of [plainEnd(said), plainEnd('', said)])
      expect(plan).toMatchObject({
        kind: 'failed',
        limit: { resets: { inMs: 3 * 3_600_000 } },
      });
  });

  it.each([
    ['a known sentence without a time', 'Usage limit reached.\n'],
    ['words that only look like one', 'error: quota for this key\n'],
  ])('LM-02 %s fails, says what it looks like and what to do', (_, errors) => {
    const plan = plainEnd(errors);
    expect(plan.kind).toBe('failed_turn');
    expect(plan.kind === 'failed_turn' && reasonText(plan.reason)).toBe(
      `It ended with exit code 1. This looks like a usage limit, without a reset time that Holdfast knows: ${errors.trim()} Send the prompt again when the limit has reset.`,
    );
  });

  it('LM-02 a limit in the middle of what a program wrote is its work, not its end', () => {
    const output = 'Usage limit reached. Resets in 3h.\na\nb\nTests failed\n';
    const plan = plainEnd('', output);
    expect(plan.kind === 'failed_turn' && reasonText(plan.reason)).toBe(
      'It ended with exit code 1.',
    );
  });

  it('says the last words of a program that gave no result', () => {
    const end = { ...exited, code: 2, errors: 'a\nno memory\n' };
    expect(planEnd({ ...ended, end })).toMatchObject({
      message: 'claude ended with exit code 2 and without a result: no memory',
    });
    expect(endingWords({ kind: 'deadline', afterMs: 180_000 })).toContain('within 3 min');
  });

  it.each([
    ['open', 'started', false, 'safe_only', false, 'hold'],
    ['open', 'started', true, 'safe_only', false, 'run'],
    ['open', 'started', false, 'always', false, 'run'],
    ['finished', 'confirmed', true, 'safe_only', false, 'close'],
    ['finished', 'confirmed', true, 'safe_only', true, 'run'],
    ['finished', 'completed', false, 'safe_only', false, 'run'],
  ])(
    'S0-11 S4-25 after a process that is %s (%s), answered %s, in %s, resumable %s: %s',
    (outcome, state, isAnswered, mode, isResumable, plan) => {
      const whole = { outcome, last: { end: { state } } } as unknown as LedgerLine;
      expect(planStart({ whole, isAnswered, mode, isResumable }).kind).toBe(plan);
    },
  );
});

describe('S4-20 what a hook reported of a call of a program that is over', () => {
  const after = (output: string, isError: boolean) =>
    ({ kind: 'after', attempt: 2, callId: 'a', isError, output }) as const;
  it.each([
    ['a result', after('one', false), true],
    ['a failure', after('Exit code 1', true), true],
    ['a failure by its own abort', after('Exit code 134', true), true],
    ['a text that only names a signal', after('Exit code 137', false), true],
    ['a higher exit code', after('Exit code 1370', true), true],
    ['a hang-up', after('Exit code 129', true), false],
    ['an interrupt', after('Exit code 130\nTerminated', true), false],
    ['a kill', after('Exit code 137', true), false],
    ['a request to end', after('Exit code 143', true), false],
    ['a person at its keyboard', after('[Request interrupted by user for tool use]', true), false],
    ['another attempt', { ...after('one', false), attempt: 1 }, false],
    ['another call', { ...after('one', false), callId: 'b' }, false],
  ] as const)('%s', (_, record, isResult) => {
    const found = resultOf([record], { attempt: 2, callId: 'a' });
    expect(found).toEqual(isResult ? record : undefined);
  });
});

describe('the answer of a run that a person has settled', () => {
  it('S4-25 S0-33 is the stored text as it is, and where that is missing says so instead of being empty', () => {
    expect(settledText('confirmed by the user')).toBe('confirmed by the user');
    expect(settledText('')).toBe('');
    expect(settledText(undefined)).toMatch(/stored text about it is missing.*not repeated/);
  });
});
