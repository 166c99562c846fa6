import { describe, expect, it } from 'vitest';
import {
  knownEvents,
  planInstall,
  planRemoval,
  readClaudeVersion,
} from '../../../shared/claude-hooks';
import { readWatched, watchModel } from '../../../shared/watch-rules';

const VERSION = '2.1.197';
const LINE = '/opt/holdfast hook watch --dir /home/a/.holdfast/watch';

const after = (plan: ReturnType<typeof planInstall>): Record<string, unknown> => {
  if (plan.kind !== 'change') throw new Error(plan.kind);
  return JSON.parse(plan.after) as Record<string, unknown>;
};

describe('LM-12 hooks fit the version of Claude Code, because an older one skips a file with a name that it does not know', () => {
  it.each<[string, string | undefined, readonly string[]]>([
    ['2.1.332 (Claude Code)', '2.1.332', ['PostToolUseFailure', 'StopFailure']],
    ['2.1.78 (Claude Code)\n', '2.1.78', ['PostToolUseFailure', 'StopFailure']],
    ['2.1.77 (Claude Code)', '2.1.77', ['PostToolUseFailure']],
    ['2.0.56 (Claude Code)', '2.0.56', ['PostToolUseFailure']],
    ['2.0.55 (Claude Code)', '2.0.55', []],
    ['10.0.0 (Claude Code)', '10.0.0', ['PostToolUseFailure', 'StopFailure']],
    ['command not found', undefined, []],
    ['', undefined, []],
  ])('%j gets those that it knows', (printed, version, newer) => {
    expect(readClaudeVersion(printed)).toBe(version);
    expect(knownEvents(version)).toEqual(
      [
        'SessionStart',
        'UserPromptSubmit',
        'PreToolUse',
        'PostToolUse',
        'PostToolUseFailure',
        'Stop',
        'StopFailure',
        'SessionEnd',
      ].filter((event) => !event.endsWith('Failure') || newer.includes(event)),
    );
  });

  it('the events of a turn, too', () => {
    const turn = ['SessionStart', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'];
    expect(knownEvents('2.0.55', turn)).toEqual(turn.slice(0, 3));
    expect(knownEvents('1.0.61', turn)).toEqual(['PreToolUse', 'PostToolUse']);
  });
});

describe('hooks in a settings file of somebody else', () => {
  const own = {
    model: 'x',
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'my-own' }] }],
      Notification: [],
    },
  };
  it('are added to every event, and everything that was there stays', () => {
    const settings = after(planInstall(JSON.stringify(own), LINE, VERSION));
    expect(settings['model']).toBe('x');
    const hooks = settings['hooks'] as Record<string, unknown[]>;
    expect(Object.keys(hooks).sort()).toEqual([...knownEvents(VERSION), 'Notification'].sort());
    expect(hooks['PreToolUse']).toHaveLength(2);
    expect(hooks['PreToolUse']?.[0]).toEqual(own.hooks.PreToolUse[0]);
  });

  it('are taken out again without a trace, also those of another place', () => {
    const installed = planInstall(JSON.stringify(own), LINE, VERSION);
    expect(after(planRemoval(JSON.stringify(after(installed))))).toEqual(own);
    expect(
      after(planRemoval(JSON.stringify(after(planInstall(undefined, LINE, VERSION))))),
    ).toEqual({});
  });

  it('are there once, however often they are installed', () => {
    const once = after(planInstall(undefined, LINE, VERSION));
    expect(planInstall(JSON.stringify(once), LINE, VERSION)).toEqual({ kind: 'same' });
    const moved = after(planInstall(JSON.stringify(once), LINE.replace('/opt', '/usr'), VERSION));
    expect(JSON.stringify(moved)).not.toContain('/opt');
    expect((moved['hooks'] as Record<string, unknown[]>)['Stop']).toHaveLength(1);
  });

  it.each(['{', '[]', '"x"', '{"hooks":[]}', '{"hooks":null}'])(
    'are not written into what cannot be understood: %s',
    (text) => {
      expect(planInstall(text, LINE, VERSION).kind).toBe('unreadable');
      expect(planRemoval(text).kind).toBe('unreadable');
    },
  );

  it('show the lines that change and no others', () => {
    const plan = planInstall(JSON.stringify({ model: 'x' }), LINE, VERSION);
    if (plan.kind !== 'change') throw new Error(plan.kind);
    expect(plan.diff.some((line) => line.startsWith('+') && line.includes('hook watch'))).toBe(
      true,
    );
    expect(plan.diff.length).toBeLessThan(plan.after.split('\n').length);
  });
});

describe('a watched terminal', () => {
  const line = (event: string, more: object = {}): string =>
    JSON.stringify({ atMs: 1, event, cwd: '/p', ...more });
  const call = (event: string, callId: string, command: string): string =>
    line(event, { tool: 'Bash', callId, input: JSON.stringify({ command }) });

  it('S4-20 that was cut off in a call says which ended and which is unknown', () => {
    const text = [
      line('SessionStart'),
      line('UserPromptSubmit', { prompt: 'do it' }),
      call('PreToolUse', 'a', 'echo one'),
      call('PostToolUse', 'a', 'echo one'),
      call('PreToolUse', 'b', 'echo "two"'),
      '{"atMs":1,"event":"PostTo',
    ].join('\n');
    expect(watchModel('s', readWatched(text), 'UTC')).toEqual({
      session: 's',
      cwd: '/p',
      lastAtMs: 1,
      prompt: 'do it',
      state: 'in_call',
      finished: [{ tool: 'Bash', about: 'echo one' }],
      open: [{ tool: 'Bash', about: 'echo "two"' }],
    });
  });

  // 27 November 2026, 02:35 UTC; the sentence is that of Claude Code 2.1.332 at its limit.
  const failed = (error: string, said: string): string =>
    JSON.stringify({ atMs: 1_795_746_918_834, event: 'StopFailure', cwd: '/p', error, said });
  it.each<[string, readonly string[], object | undefined]>([
    [
      'its time on the wall',
      [failed('rate_limit', "You've hit your limit · resets 4:35am (UTC)")],
      { atMs: 1_795_746_918_834, resetsAtMs: 1_795_754_100_000 },
    ],
    [
      'no time where none was given',
      [failed('rate_limit', 'API Error: Request rejected (429)')],
      { atMs: 1_795_746_918_834 },
    ],
    [
      'a sentence alone',
      [failed('unknown', "You've hit your session limit · resets 4:35am (UTC)")],
      { atMs: 1_795_746_918_834, resetsAtMs: 1_795_754_100_000 },
    ],
    ['nothing of another failure', [failed('server_error', 'API Error: 500')], undefined],
    [
      'nothing once it goes on',
      [failed('rate_limit', 'resets 4:35am (UTC)'), line('UserPromptSubmit', { prompt: 'go on' })],
      undefined,
    ],
    [
      'the same after it was closed',
      [failed('rate_limit', 'resets 4:35am (UTC)'), line('SessionEnd')],
      { atMs: 1_795_746_918_834, resetsAtMs: 1_795_754_100_000 },
    ],
  ])('LM-12 at its usage limit has %s', (_what, lines, limit) => {
    expect(watchModel('s', readWatched(`${lines.join('\n')}\n`), 'UTC')?.limit).toEqual(limit);
  });

  it('that was closed has ended; a file without a line is no session', () => {
    expect(watchModel('s', readWatched(`${line('SessionEnd')}\n`), 'UTC')?.state).toBe('ended');
    expect(watchModel('s', readWatched(''), 'UTC')).toBeUndefined();
  });
});
