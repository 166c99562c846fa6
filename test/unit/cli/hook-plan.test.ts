import { describe, expect, it } from 'vitest';
import { planInstall, planRemoval, WATCHED_EVENTS } from '../../../shared/claude-hooks';
import { readWatched, watchModel } from '../../../shared/watch-rules';

const LINE = '/opt/holdfast hook watch --dir /home/a/.holdfast/watch';

const after = (plan: ReturnType<typeof planInstall>): Record<string, unknown> => {
  if (plan.kind !== 'change') throw new Error(plan.kind);
  return JSON.parse(plan.after) as Record<string, unknown>;
};

describe('hooks in a settings file of somebody else', () => {
  const own = {
    model: 'x',
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'my-own' }] }],
      Notification: [],
    },
  };
  it('are added to every event, and everything that was there stays', () => {
    const settings = after(planInstall(JSON.stringify(own), LINE));
    expect(settings['model']).toBe('x');
    const hooks = settings['hooks'] as Record<string, unknown[]>;
    expect(Object.keys(hooks).sort()).toEqual([...WATCHED_EVENTS, 'Notification'].sort());
    expect(hooks['PreToolUse']).toHaveLength(2);
    expect(hooks['PreToolUse']?.[0]).toEqual(own.hooks.PreToolUse[0]);
  });

  it('are taken out again without a trace, also those of another place', () => {
    const installed = planInstall(JSON.stringify(own), LINE);
    expect(after(planRemoval(JSON.stringify(after(installed))))).toEqual(own);
    expect(after(planRemoval(JSON.stringify(after(planInstall(undefined, LINE)))))).toEqual({});
  });

  it('are there once, however often they are installed', () => {
    const once = after(planInstall(undefined, LINE));
    expect(planInstall(JSON.stringify(once), LINE)).toEqual({ kind: 'same' });
    const moved = after(planInstall(JSON.stringify(once), LINE.replace('/opt', '/usr')));
    expect(JSON.stringify(moved)).not.toContain('/opt');
    expect((moved['hooks'] as Record<string, unknown[]>)['Stop']).toHaveLength(1);
  });

  it.each(['{', '[]', '"x"', '{"hooks":[]}', '{"hooks":null}'])(
    'are not written into what cannot be understood: %s',
    (text) => {
      expect(planInstall(text, LINE).kind).toBe('unreadable');
      expect(planRemoval(text).kind).toBe('unreadable');
    },
  );

  it('show the lines that change and no others', () => {
    const plan = planInstall(JSON.stringify({ model: 'x' }), LINE);
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
    expect(watchModel('s', readWatched(text))).toEqual({
      session: 's',
      cwd: '/p',
      lastAtMs: 1,
      prompt: 'do it',
      state: 'in_call',
      finished: [{ tool: 'Bash', about: 'echo one' }],
      open: [{ tool: 'Bash', about: 'echo "two"' }],
    });
  });

  it('that was closed has ended; a file without a line is no session', () => {
    expect(watchModel('s', readWatched(`${line('SessionEnd')}\n`))?.state).toBe('ended');
    expect(watchModel('s', readWatched(''))).toBeUndefined();
  });
});
