import { describe, expect, it } from 'vitest';
import {
  crashSentence,
  metersOf,
  opensInTerminal,
  takeBackCommand,
} from '../../../renderer/session/session-aside-view';
import type { ResumePlan, TurnSummary } from '../../../shared/types';
import { createSeed } from '../../helpers/fake-seed';

const NOW = Date.UTC(2026, 2, 24, 14, 31);
const seed = createSeed(NOW);
const running: TurnSummary = {
  ...(seed.turns[0] as TurnSummary),
  state: 'running',
  attempt: 1,
  steps: 10,
  startedAtMs: NOW - 86_000,
  usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.08 },
};
const LIMITS = { steps: 100, costUsd: 2, timeMs: 30 * 60_000 };

describe('the meters of a turn', () => {
  it('say how much of each limit is used', () => {
    expect(metersOf(running, LIMITS, NOW).map((meter) => [meter.text, meter.share])).toEqual([
      ['$0.08 of $2.00', 0.04],
      ['10 of 100 steps', 0.1],
      ['1 min 26 s of 30 min', 86_000 / 1_800_000],
    ]);
  });

  it.each([
    [
      'no cost where the provider tells none',
      { usage: { inputTokens: 1, outputTokens: 1 } },
      ['steps', 'time'],
    ],
    [
      'no time after a resume: what ran before the stop is not known',
      { attempt: 2 },
      ['cost', 'steps'],
    ],
    ['no time while it does not run', { state: 'held' as const }, ['cost', 'steps']],
    ['no bar past a limit that a person raised', { steps: 101 }, ['cost', 'time']],
  ])('show %s', (_title, given, kinds) => {
    const meters = metersOf({ ...running, ...given } as TurnSummary, LIMITS, NOW);
    expect(meters.map((meter) => meter.kind)).toEqual(kinds);
  });

  it('show nothing where no limit is known', () => {
    const none = { steps: undefined, costUsd: undefined, timeMs: undefined };
    expect(metersOf(running, none, NOW)).toEqual([]);
  });
});

describe('what a crash would do now', () => {
  const plan = seed.decisions[0]?.plan as ResumePlan;
  it.each([
    [
      { action: 'resume', reused: 9, reissued: 1 },
      'resumes automatically: 9 completed steps reused, 1 re-read',
    ],
    [
      { action: 'hold', reason: 'The recovery mode is "never".' },
      'needs your review. The recovery mode is "never".',
    ],
    [{ action: 'park' }, 'is parked'],
  ] as const)('S4-05 reads the plan %j', (given, part) => {
    expect(crashSentence({ ...plan, ...given })).toContain(part);
  });
});

describe('a conversation that goes back to a terminal', () => {
  it.each([
    ['command', 'claude', true],
    ['command', '/home/mara/.local/bin/claude --model x', true],
    ['command', './report.sh claude', false],
    ['command', 'claude-agent-acp', false],
    ['acp', 'claude-agent-acp', true],
    ['acp', 'npx @agentclientprotocol/claude-agent-acp@0.49.0', true],
    ['acp', 'gemini --acp', false],
    ['llm', 'claude', false],
  ] as const)('is offered for %s %s: %s', (executor, provider, isOffered) => {
    expect(opensInTerminal({ executor, provider })).toBe(isOffered);
  });

  it('comes back with a command of this program and this data, each name one word', () => {
    const given = { agent: "Mara's mender", ref: '5d0c' };
    expect(takeBackCommand({ command: 'holdfast', options: '' }, given)).toBe(
      "holdfast sessions attach 'Mara'\\''s mender' --id 5d0c",
    );
    expect(takeBackCommand({ command: 'holdfast', options: '--data-dir /d' }, given)).toMatch(
      / --id 5d0c --data-dir \/d$/,
    );
  });
});
