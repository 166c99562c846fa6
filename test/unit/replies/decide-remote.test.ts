import { describe, expect, it } from 'vitest';
import {
  isRiskyCall,
  judgeRemote,
  type RemoteAnswer,
} from '../../../electron/engine/replies/decide-remote';
import { pressData, readPress } from '../../../electron/engine/replies/question-text';
import type { QuestionRules } from '../../../electron/ports/channel';

type Level = 'all' | 'local' | 'none';
const rules = (calls: Level, agents: Record<string, Level> = {}): QuestionRules => ({
  showsInput: false,
  decide: { people: ['7'], calls, agents },
});
const asked = (answer: RemoteAnswer, isRisky = false, agent = 'coder') => ({
  agent,
  answer,
  isRisky,
});

describe('what may be decided on a channel', () => {
  it.each([
    ['allow', false, 'once', 'once', 'not_remote'],
    ['allow', true, 'twice', 'not_remote', 'not_remote'],
    ['resume', false, 'once', 'once', 'not_remote'],
    ['resume', true, 'twice', 'not_remote', 'not_remote'],
    ['discard', false, 'twice', 'twice', 'not_remote'],
    ['discard', true, 'twice', 'twice', 'not_remote'],
    ['deny', true, 'once', 'once', 'not_remote'],
    ['confirm', true, 'once', 'once', 'not_remote'],
    ['skip', true, 'once', 'once', 'not_remote'],
    ['run', false, 'once', 'once', 'not_remote'],
    ['dismiss', false, 'once', 'once', 'not_remote'],
  ] as const)(
    'PH-04 %s with risk %s: %s where all, %s where local, %s where none',
    (answer, isRisky, all, local, none) => {
      const verdicts = (['all', 'local', 'none'] as const).map((level) => [
        judgeRemote(rules(level), asked(answer, isRisky), '7'),
        judgeRemote(rules('none', { coder: level }), asked(answer, isRisky), '7'),
        judgeRemote(rules(level), asked(answer, isRisky)),
      ]);
      expect(verdicts).toEqual([all, local, none].map((verdict) => [verdict, verdict, verdict]));
      for (const level of ['all', 'local', 'none'] as const) {
        expect(judgeRemote(rules(level), asked(answer, isRisky), '8')).toBe('not_listed');
        expect(judgeRemote({ showsInput: true }, asked(answer, isRisky), '7')).toBe('not_remote');
      }
    },
  );

  it('PH-04 the name of an agent that no setting has, such as "constructor", is judged as the others', () => {
    expect(judgeRemote(rules('none'), asked('allow', false, 'constructor'), '7')).toBe(
      'not_remote',
    );
  });

  const call = {
    kind: 'approval' as const,
    tool: 'shell.shell',
    covers: '',
    hint: '',
    agent: 'coder',
    args: '{"command":"ls -la"}',
    isTruncated: false,
  };
  it.each([
    ['a command that reads', call, false],
    ['a command that deletes', { ...call, args: '{"command":"rm -rf build"}' }, true],
    ['a command that pushes', { ...call, args: '{"command":"git push"}' }, true],
    ['a call that leaves this computer', { ...call, leaves: true }, true],
    ['a call with a destination', { ...call, goesTo: { address: 'x', name: 'y' } }, true],
    ['a call of which a part is not shown', { ...call, isTruncated: true }, true],
    ['a file that is written', { ...call, tool: 'files.write', args: '{"path":"a"}' }, false],
    [
      'an edit of an agent',
      { ...call, tool: 'coder.edit', args: '{"path":"a"}', file: 'a' },
      false,
    ],
    ['an edit outside of its folder', { ...call, tool: 'coder.edit', args: '{"path":"/a"}' }, true],
    ['a move of an agent', { ...call, tool: 'coder.move', args: '{"from":"a","to":"b"}' }, true],
    ['a search of an agent', { ...call, tool: 'coder.search', args: '{"path":"a"}' }, false],
    ['a command of an agent', { ...call, tool: 'coder.shell' }, false],
    ['a command of Claude Code', { ...call, tool: 'claude.shell' }, false],
    [
      'a command elsewhere',
      { ...call, tool: 'claude.shell', covers: 'claude.shell in "/etc": ls -la' },
      true,
    ],
    ['a tool of a server with a command that reads', { ...call, tool: 'evil.deploy' }, true],
    ['a tool of a server that is named like a shell', { ...call, tool: 'evil.shell' }, true],
    [
      'a command that is given arguments apart',
      { ...call, tool: 'coder.shell', args: '{"command":"git","args":["push"]}' },
      true,
    ],
    [
      'a command with an input of its own',
      { ...call, tool: 'coder.shell', args: '{"command":"ls","stdin":"x"}' },
      true,
    ],
    [
      'a tool that an agent has of a server',
      {
        ...call,
        tool: 'coder.edit',
        covers: 'coder.edit of evil',
        args: '{"path":"a"}',
        file: 'a',
      },
      true,
    ],
    [
      'a tool that an agent has under the name of one of Claude Code',
      { ...call, tool: 'coder.write', args: '{"path":"a"}', file: 'a' },
      true,
    ],
    ['a tool of a server', { ...call, tool: 'mail.send', args: '{"to":"a"}' }, true],
    [
      'a tool of a server that is named like an edit',
      { ...call, tool: 'mail.edit', args: '{}' },
      true,
    ],
    ['input that is no JSON', { ...call, args: '{"command":"ls' }, true],
  ] as const)('PH-04 %s: risky %s', (_what, view, isRisky) => {
    expect(isRiskyCall(view)).toBe(isRisky);
  });

  it('PH-02 the data of a button fits into 64 bytes and is read back; anything else is no button', () => {
    const data = pressData('discard!', 999_999_999_999, 'ab'.repeat(32));
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
    expect(readPress(data)).toEqual({
      code: 'discard!',
      inboxId: 999_999_999_999,
      hashStart: 'ab'.repeat(8),
    });
    for (const forged of [
      '',
      'q1:a:1',
      `q2:a:1:${'a'.repeat(16)}`,
      `q1:z:1:${'a'.repeat(16)}`,
      `q1:a:0:${'a'.repeat(16)}`,
      `q1:a:1:${'a'.repeat(15)}`,
      `q1:a:1:${'a'.repeat(16)} `,
    ])
      expect(readPress(forged)).toBeUndefined();
  });
});
